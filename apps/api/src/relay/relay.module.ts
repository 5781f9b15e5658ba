import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ModelsModule } from '../models/models.module.ts';
import { UsageModule } from '../usage/usage.module.ts';
import { RelayController } from './relay.controller.ts';
import { RelayLedgerWorker } from './relay-ledger.worker.ts';
import { RelayService } from './relay.service.ts';
import { StoredResponsesService } from './stored/stored-responses.service.ts';

@Module({
  imports: [AuthModule, ModelsModule, UsageModule],
  controllers: [RelayController],
  providers: [RelayService, RelayLedgerWorker, StoredResponsesService],
})
export class RelayModule {}
