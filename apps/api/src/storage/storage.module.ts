import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { StorageQuotasService } from './storage-quotas.service.ts';
import { StorageController } from './storage.controller.ts';
import { StorageRegistry } from './storage.registry.ts';
import { StorageService } from './storage.service.ts';

@Module({
  imports: [AuthModule],
  controllers: [StorageController],
  providers: [StorageQuotasService, StorageRegistry, StorageService],
  exports: [StorageQuotasService, StorageRegistry],
})
export class StorageModule {}
