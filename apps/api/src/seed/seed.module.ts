import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { ModelsModule } from '../models/models.module.ts';
import { SeedService } from './seed.service.ts';

@Module({ imports: [AuthModule, ModelsModule, AgentsModule], providers: [SeedService] })
export class SeedModule {}
