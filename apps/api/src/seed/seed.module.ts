import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { ApplicationsModule } from '../applications/applications.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { DataModule } from '../data/data.module.ts';
import { ModelsModule } from '../models/models.module.ts';
import { SampleApplicationsService } from './sample-applications.service.ts';
import { SeedService } from './seed.service.ts';

@Module({
  imports: [AuthModule, ModelsModule, AgentsModule, ApplicationsModule, DataModule],
  providers: [SampleApplicationsService, SeedService],
})
export class SeedModule {}
