import { migrate } from '../src/infra/database/migrate.ts';
import { SweeperWorker } from '../src/infra/database/sweeper.worker.ts';
import { QueueVacuumWorker } from '../src/infra/queues/queue-vacuum.worker.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { copyTemplate, TestApp } from './harness/app.ts';
import { installApplication } from './harness/applications.ts';
import { EventBus } from './harness/event-bus.ts';
import { JobCalls } from './harness/job-calls.ts';
import { PgBouncer } from './harness/pg-bouncer.ts';
import { verifies } from './verifies.ts';

const skipReason = process.env.PLATFORM_SKIP_PGBOUNCER;

(skipReason ? describe.skip : describe).each(['transaction', 'session'] as const)(
  'the service behind a PgBouncer with plain settings and pools of mode %s',
  (mode) => {
    let bouncer: PgBouncer;
    let app: TestApp;

    beforeAll(async () => {
      bouncer = await PgBouncer.start(await copyTemplate(), mode);
      app = await TestApp.start({ databaseUrl: bouncer.url });
    });
    afterAll(async () => {
      await app.close();
      await bouncer.stop();
    });

    verifies('database.poolers', 'migrates, and sweeps', async () => {
      await migrate(bouncer.url);
      await app.get(SweeperWorker).sweep();
    });

    verifies('database.poolers', 'vacuums queues', async () => {
      const worker = app.get(QueueVacuumWorker) as unknown as { vacuum(table: string): Promise<void> };
      await worker.vacuum('envelope_outbox');
      const [found] = await app.sql(
        `select pg_stat_get_vacuum_count('envelope_outbox'::regclass)::int as vacuums`,
      );
      expect(found).toEqual({ vacuums: 1 });
    });

    verifies('database.poolers', 'streams chats, and their frames again', async () => {
      const agent = await AgentCalls.make(app);
      const chats = await Promise.all(
        Array.from({ length: 20 }, (_, n) => agent.stream({ contents: said(`Hello ${n}`) })),
      );
      for (const chat of chats) {
        expect(chat.status).toBe(200);
        const turnId = chat.headers.get('x-turn-id') ?? '';
        const again = await agent.attach(turnId);
        expect((await again.rest()).frames.length).toBe(chat.frames.length);
      }
    });

    verifies('database.poolers', 'runs jobs', async () => {
      const agent = await AgentCalls.make(app);
      const jobs = new JobCalls(app);
      const job = await jobs.start({ agentId: agent.agentId, contents: said('Hi') });
      expect((await jobs.reached(job, 'COMPLETED')).status).toBe('COMPLETED');
    });

    verifies('database.poolers', 'dispatches events, and runs what they start', async () => {
      const bus = new EventBus(app, app.admin, await installApplication(app));
      const emitted = await Promise.all(
        Array.from({ length: 20 }, (_, n) => bus.emit('order.created', { total: 1 }, { key: `order-${n}` })),
      );
      for (const { status, body } of emitted) {
        expect(status).toBe(200);
        const [run] = await bus.runsOf(body.envelopeId, 1);
        expect(run?.status).toBe('SUCCEEDED');
      }
    });
  },
);
