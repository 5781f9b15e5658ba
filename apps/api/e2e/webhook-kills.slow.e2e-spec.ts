import type { Page, WebhookDelivery, WebhookDeliveryDetail } from '@platform/contracts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { JobCalls } from './harness/job-calls.ts';
import { ServiceProcess } from './harness/process.ts';
import { WebhookServer } from './harness/webhook-server.ts';
import { verifies } from './verifies.ts';

/** More than are sent to one host at the same time. */
const DELIVERIES = 8;

/** Sends nothing. */
let app: TestApp;
let server: WebhookServer;
let jobId: string;
let worker: ServiceProcess | null = null;

beforeAll(async () => {
  server = await WebhookServer.start();
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  const { agentId } = await AgentCalls.make(app);
  ({ id: jobId } = await new JobCalls(app).start({ agentId, contents: said('Hello') }));
});
afterAll(async () => {
  await worker?.kill();
  await app.close();
  await server.close();
});

async function work(failpoints = ''): Promise<ServiceProcess> {
  worker = await ServiceProcess.spawn({
    DATABASE_URL: app.databaseUrl,
    PLATFORM_SECRET_KEY: app.secretKey,
    PLATFORM_DATA_DIR: app.dataDir,
    PLATFORM_ROLE: 'worker',
    PLATFORM_FAILPOINTS: failpoints,
  });
  return worker;
}

/** Stores deliveries, each to a path of its own. */
async function store(place: string): Promise<void> {
  await app.sql(
    `insert into webhook_delivery (space_id, job_id, segment, type, url, body, next_publish_at)
     select space_id, id, (select count(*) from webhook_delivery) + n, 'agent-job.completed', $2 || n, '{}', clock_timestamp()
     from agent_job, generate_series(1, $3) n where id = $1`,
    [jobId, server.url(`/${place}/`), DELIVERIES],
  );
}

async function list(place: string): Promise<WebhookDelivery[]> {
  const { items } = await get<Page<WebhookDelivery>>(`?jobId=${jobId}`);
  return items.filter(({ url }) => url.includes(`/${place}/`));
}

async function details(place: string): Promise<WebhookDeliveryDetail[]> {
  return Promise.all((await list(place)).map(({ id }) => get<WebhookDeliveryDetail>(`/${id}`)));
}

async function get<Found>(path: string): Promise<Found> {
  const { status, body } = await app.request<Found>('GET', `/api/webhook-deliveries${path}`);
  expect([status, body]).toEqual([200, body]);
  return body;
}

const callsOf = ({ url }: WebhookDelivery) => server.of(new URL(url).pathname);

describe('a process that is killed', () => {
  for (const [place, isSent] of [
    ['webhooks.claimed', false],
    ['webhooks.sent', true],
  ] as const)
    verifies(
      'webhook.attempts',
      `at ${place} loses no webhook, and its attempts were interrupted`,
      async () => {
        await store(place);
        expect(await (await work(`${place}:kill@3`)).exit()).toBe('SIGKILL');
        const killed = await details(place);
        const begun = killed.filter(({ attempts }) => attempts > 0);
        expect(killed).toHaveLength(DELIVERIES);
        expect(begun.length).toBeGreaterThanOrEqual(3);
        const open = begun.filter(({ status }) => status === 'PENDING');
        expect(open.length).toBeGreaterThan(0);
        for (const { lastAttempts } of open) expect(lastAttempts).toMatchObject([{ outcome: 'RUNNING' }]);
        if (isSent) expect(open.some((delivery) => callsOf(delivery).length === 1)).toBe(true);

        // A minute later.
        await app.sql(
          `update webhook_delivery set available_at = clock_timestamp(), next_publish_at = clock_timestamp()
           where next_publish_at is not null`,
        );
        for (const { lastAttempts } of (await details(place)).filter(({ id }) =>
          open.some((one) => one.id === id),
        ))
          expect(lastAttempts).toMatchObject([{ outcome: 'INTERRUPTED', durationMs: null, response: null }]);
        const survivor = await work();
        await eventually(async () => {
          const done = await list(place);
          expect(done.map(({ status }) => status)).toEqual(done.map(() => 'DELIVERED'));
        }, 120_000);
        await survivor.kill();
        const sent = (await details(place)).flatMap(callsOf);
        if (isSent) expect(sent.length).toBeGreaterThan(DELIVERIES);
        for (const delivery of await details(place)) {
          const wasOpen = open.some(({ id }) => id === delivery.id);
          const outcomes = delivery.lastAttempts.map(({ outcome }) => outcome);
          expect(outcomes).toEqual(wasOpen ? ['ACCEPTED', 'INTERRUPTED'] : ['ACCEPTED']);
          const calls = callsOf(delivery);
          expect(calls.length).toBeGreaterThan(0);
          expect(calls.length).toBeLessThanOrEqual(delivery.attempts);
          expect(calls.map(({ headers }) => headers['webhook-id'])).toEqual(calls.map(() => delivery.id));
        }
      },
    );
});
