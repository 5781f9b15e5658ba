import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { UsageReports } from './reports.service.ts';
import { UsageController } from './usage.controller.ts';
import { UsageService } from './usage.service.ts';

@Module({
  imports: [AuthModule],
  controllers: [UsageController],
  providers: [UsageReports, UsageService],
  exports: [UsageService],
})
export class UsageModule {}
