import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ReportsService } from './reports.service.ts';
import { UsageController } from './usage.controller.ts';
import { UsageService } from './usage.service.ts';

@Module({
  imports: [AuthModule],
  controllers: [UsageController],
  providers: [ReportsService, UsageService],
  exports: [UsageService],
})
export class UsageModule {}
