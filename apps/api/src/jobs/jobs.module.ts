import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { StreamsModule } from '../streams/streams.module.ts';
import { TurnsModule } from '../turns/turns.module.ts';
import { UsageModule } from '../usage/usage.module.ts';
import { JobAccessGuard, JobAgentGuard } from './job-access.guard.ts';
import { JobClaims } from './job-claims.ts';
import { JobDeadlines } from './job-deadlines.ts';
import { JobEndings } from './job-endings.ts';
import { JobCreation } from './job-creation.service.ts';
import { JobRecords } from './job-records.ts';
import { JobStarter } from './job-starter.ts';
import { JobViews } from './job-views.ts';
import { JobWatch } from './job-watch.ts';
import { JobWorker } from './job-worker.ts';
import { JobsController } from './jobs.controller.ts';
import { JobsService } from './jobs.service.ts';
import { WebhookSecretController } from './webhook-secret.controller.ts';
import { WebhookSecrets } from './webhook-secrets.service.ts';
import { Webhooks } from './webhooks.service.ts';

@Module({
  imports: [AuthModule, UsageModule, StreamsModule, AgentsModule, TurnsModule],
  controllers: [JobsController, WebhookSecretController],
  providers: [
    JobAccessGuard,
    JobAgentGuard,
    JobClaims,
    JobDeadlines,
    JobEndings,
    JobCreation,
    JobRecords,
    JobsService,
    JobStarter,
    JobViews,
    JobWatch,
    JobWorker,
    Webhooks,
    WebhookSecrets,
  ],
})
export class JobsModule {}
