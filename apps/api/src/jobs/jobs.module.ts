import { Module, type OnModuleInit } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { SearchModule } from '../search/search.module.ts';
import { SearchRegistry, visible } from '../search/search.registry.ts';
import { StreamsModule } from '../streams/streams.module.ts';
import { TurnsModule } from '../turns/turns.module.ts';
import { UsageModule } from '../usage/usage.module.ts';
import { FollowingJobsService } from './records/following-jobs.service.ts';
import { JobAccessGuard, JobAgentGuard } from './lifecycle/job-access.guard.ts';
import { JobClaimsService } from './queue/job-claims.service.ts';
import { JobDeadlinesWorker } from './lifecycle/job-deadlines.worker.ts';
import { JobEndingsService } from './lifecycle/job-endings.service.ts';
import { JobCreationService } from './lifecycle/job-creation.service.ts';
import { JobRecordsService } from './records/job-records.service.ts';
import { JobStarterWorker } from './queue/job-starter.worker.ts';
import { JobViewsService } from './records/job-views.service.ts';
import { JobWatchService } from './lifecycle/job-watch.service.ts';
import { JobWorker } from './lifecycle/job.worker.ts';
import { JobsController } from './lifecycle/jobs.controller.ts';
import { JobsService } from './lifecycle/jobs.service.ts';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller.ts';
import { WebhookDeliveriesService } from './webhooks/webhook-deliveries.service.ts';
import { WebhookSecretController } from './webhooks/webhook-secret.controller.ts';
import { WebhookSecretsService } from './webhooks/webhook-secrets.service.ts';
import { WebhookSenderService } from './webhooks/webhook-sender.service.ts';
import { WebhooksService } from './webhooks/webhooks.service.ts';
import { MetricsRegistry } from '../infra/metrics/metrics.registry.ts';
import { JOBS_QUEUED } from './queue/job-queue.store.ts';
import { DELIVERIES_DUE } from './webhooks/webhooks.store.ts';

@Module({
  imports: [AuthModule, UsageModule, SearchModule, StreamsModule, AgentsModule, TurnsModule],
  controllers: [JobsController, WebhookDeliveriesController, WebhookSecretController],
  providers: [
    FollowingJobsService,
    JobAccessGuard,
    JobAgentGuard,
    JobClaimsService,
    JobDeadlinesWorker,
    JobEndingsService,
    JobCreationService,
    JobRecordsService,
    JobsService,
    JobStarterWorker,
    JobViewsService,
    JobWatchService,
    JobWorker,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookSecretsService,
    WebhookSenderService,
  ],
  exports: [WebhookSenderService],
})
export class JobsModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly search: SearchRegistry,
    private readonly metrics: MetricsRegistry,
  ) {}

  onModuleInit(): void {
    this.metrics.waiting('jobs', JOBS_QUEUED);
    this.metrics.waiting('webhooks', DELIVERIES_DUE);
    this.search.register({
      kind: 'job',
      access: { rule: 'member', scopes: ['invoke'] },
      findById: async (caller, id) => {
        const job = await visible(this.jobs.get(caller, id));
        return job && { id, title: id, text: '', parentId: job.turn.agentId };
      },
    });
  }
}
