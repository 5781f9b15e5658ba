import type { EnvelopeDetail, ErrorBody, Run, Subscription, Task } from '@platform/contracts';
import { TestApp } from './harness/app.ts';
import { EmittingApp, ORDER_CREATED } from './harness/emitting-app.ts';
import { bulkReplayed, countFailed, listFailed, recordEnvelope, subscribe } from './harness/event-calls.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const HOUR = 3_600_000;
const SUCCEEDING = { steps: [{ id: 'tell', kind: 'code', source: 'return 1;' }] };

let app: TestApp;
let shop: EmittingApp;

beforeAll(async () => {
  app = await TestApp.start();
  shop = await EmittingApp.install(app);
});
afterAll(() => app.close());

/** A task whose run returns its trigger, and its subscription. */
async function debounced(
  debounce: object,
  source = 'return context.execution.inputs.trigger.payload;',
): Promise<{ task: Task; subscription: Subscription }> {
  const workflow = { steps: [{ id: 'tell', kind: 'code', source }] };
  const body = { name: 'Debounced', type: 'EVENT', workflow };
  const task = (await app.request<Task>('POST', '/api/tasks', { body })).body;
  const subscription = await subscribe(app, { taskId: task.id, debounce } as Partial<Subscription>);
  return { task, subscription };
}

async function emit(payload: Record<string, unknown>): Promise<string> {
  const { envelopeId } = await shop.emit(payload);
  await shop.dispatched(envelopeId);
  return envelopeId;
}

/** What an envelope says about a subscription. */
async function outcomeOf(envelopeId: string, { id }: Subscription) {
  const { body } = await app.request<EnvelopeDetail>('GET', `/api/events/envelopes/${envelopeId}`);
  return {
    verdict: body.generations.at(-1)?.verdicts.find(({ subscriptionId }) => subscriptionId === id),
    runIds: body.generations.flatMap(({ runs }) =>
      runs.filter(({ subscriptionId }) => subscriptionId === id).map(({ runId }) => runId),
    ),
  };
}

const runsOf = ({ id }: Pick<Task, 'id'>) =>
  app.sql<{ id: string; envelopeId: string; status: string }>(
    `select id, envelope_id as "envelopeId", status from run where task_id = $1 order by id`,
    [id],
  );

/** As if it had been quiet for long enough. */
const beQuiet = ({ id }: Task) =>
  app.sql('update run_queue set available_at = clock_timestamp() where task_id = $1', [id]);

const ended = (task: Task, count: number) =>
  eventually(async () => {
    const runs = await runsOf(task);
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'SUCCEEDED'));
  });

const drop = ({ id }: Subscription) => app.request('DELETE', `/api/events/subscriptions/${id}`);

describe('a subscription with debounce', () => {
  verifies('subscriptions.debounce', 'starts one run, by the last event of each key', async () => {
    const { task, subscription } = await debounced({ key: 'kind', windowMs: HOUR });
    expect(subscription.debounce).toEqual({ key: 'kind', windowMs: HOUR });
    const first = await emit({ n: 1, kind: 'a' });
    const other = await emit({ n: 2, kind: 'b' });
    const last = await emit({ n: 3, kind: 'a' });
    const [run, otherRun, ...more] = await runsOf(task);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ envelopeId: last, status: 'QUEUED' });
    expect(otherRun).toMatchObject({ envelopeId: other, status: 'QUEUED' });
    for (const envelope of [first, last]) {
      expect(await outcomeOf(envelope, subscription)).toMatchObject({
        verdict: {
          outcome: 'DEBOUNCED',
          reason: 'Waits until no event with the same kind has come for 3600 s: the last one starts the run',
        },
        runIds: [run?.id],
      });
    }
    await beQuiet(task);
    await ended(task, 2);
    const { body } = await app.request<Run>('GET', `/api/runs/${run?.id}`);
    expect(body.steps).toMatchObject([{ output: { n: 3, kind: 'a' } }]);
    expect(body.trigger).toMatchObject({ id: last, payload: { n: 3, kind: 'a' } });
    // The window is over: the next event begins another one.
    const next = await emit({ n: 4, kind: 'a' });
    expect((await runsOf(task)).at(-1)).toMatchObject({ envelopeId: next, status: 'QUEUED' });
    await beQuiet(task);
    await ended(task, 3);
    await drop(subscription);
  });

  verifies('subscriptions.debounce', 'does not let a replay wait, nor one event for others', async () => {
    const { task, subscription } = await debounced({ key: 'kind', windowMs: HOUR });
    const first = await emit({ n: 1, kind: 'a' });
    // Many at once, also larger than what is copied into a run.
    const batch = await Promise.all(
      Array.from({ length: 20 }, (_, n) => shop.emit({ n, note: 'x'.repeat(3_000) })),
    );
    await Promise.all(batch.map(({ envelopeId }) => shop.dispatched(envelopeId)));
    expect(await runsOf(task)).toHaveLength(2);
    const replay = await app.request('POST', `/api/events/envelopes/${first}/replay`, { body: {} });
    expect(replay.status).toBe(202);
    await eventually(async () =>
      expect((await runsOf(task)).filter(({ status }) => status === 'SUCCEEDED')).toMatchObject([
        { envelopeId: first },
      ]),
    );
    expect((await outcomeOf(first, subscription)).runIds).toHaveLength(2);
    await beQuiet(task);
    await ended(task, 3);
    await drop(subscription);
  });

  verifies('events.log.outcomes', 'has each event of a burst found whose run has failed', async () => {
    const { task, subscription } = await debounced({ windowMs: HOUR }, 'throw new Error("No");');
    const burst = [await emit({ n: 1 }), await emit({ n: 2 }), await emit({ n: 3 })];
    await beQuiet(task);
    await eventually(async () => expect(await runsOf(task)).toMatchObject([{ status: 'FAILED' }]));
    expect(await listFailed(app)).toEqual(burst.toReversed());
    expect(await listFailed(app, '&limit=2')).toEqual(burst.toReversed());
    expect(await countFailed(app)).toBe(3);
    const [run] = await runsOf(task);
    await app.request('PATCH', `/api/tasks/${task.id}`, { body: { workflow: SUCCEEDING } });
    expect((await app.request('POST', `/api/runs/${run?.id}/retry`)).status).toBe(202);
    await ended(task, 1);
    expect(await listFailed(app)).toEqual([]);
    expect(await app.sql('select from delivery where failed_in is not null')).toEqual([]);
    await drop(subscription);
  });

  verifies('events.log.outcomes', 'costs a bounded time, however many events a burst has', async () => {
    const { task, subscription } = await debounced({ windowMs: HOUR }, 'throw new Error("No");');
    await emit({ n: 1 });
    const [run] = await runsOf(task);
    await app.sql(
      `insert into delivery (envelope_id, subscription_id, generation, outcome, run_id)
       select uuid_v7(), $1, 0, 'RUN_SHARED', $2 from generate_series(1, 1005)`,
      [subscription.id, run?.id],
    );
    await beQuiet(task);
    await eventually(async () => expect(await runsOf(task)).toMatchObject([{ status: 'FAILED' }]));
    const failed = await app.sql('select from delivery where failed_in = $1', [app.admin.spaceId]);
    expect(failed).toHaveLength(1_000);
    await app.sql('delete from delivery where run_id = $1', [run?.id]);
    await drop(subscription);
  });

  verifies('subscriptions.debounce', 'lets the events of a bulk replay wait for each other', async () => {
    const { task, subscription } = await debounced({ key: 'kind', windowMs: HOUR }, 'throw new Error("No");');
    const burst = [await emit({ n: 1, kind: 'a' }), await emit({ n: 2, kind: 'a' })];
    const other = await emit({ n: 3, kind: 'b' });
    await beQuiet(task);
    await eventually(async () =>
      expect((await runsOf(task)).map(({ status }) => status)).toEqual(['FAILED', 'FAILED']),
    );
    await app.request('PATCH', `/api/tasks/${task.id}`, { body: { workflow: SUCCEEDING } });
    expect(await bulkReplayed(app)).toMatchObject({ status: 'COMPLETED', total: 3, replayed: 3 });
    for (const id of [...burst, other]) await shop.dispatched(id);
    const [, , run, otherRun, ...more] = await runsOf(task);
    expect([run, otherRun, more]).toMatchObject([
      { envelopeId: burst[1], status: 'QUEUED' },
      { envelopeId: other, status: 'QUEUED' },
      [],
    ]);
    for (const id of burst)
      expect(await outcomeOf(id, subscription)).toMatchObject({
        verdict: { outcome: 'DEBOUNCED' },
        runIds: [run?.id, expect.any(String)],
      });
    expect(await app.sql('select from delivery where failed_in is not null')).toEqual([]);
    await beQuiet(task);
    await eventually(async () =>
      expect((await runsOf(task)).map(({ status }) => status)).toEqual([
        'FAILED',
        'FAILED',
        'SUCCEEDED',
        'SUCCEEDED',
      ]),
    );
    expect(await listFailed(app)).toEqual([]);
    await drop(subscription);
  });

  it('lets what waits begin although it is disabled meanwhile, and erases only what is its own', async () => {
    const { task, subscription } = await debounced({ windowMs: HOUR });
    const first = await emit({ n: 1 });
    const last = await emit({ n: 2 });
    // The run has the payload of the last event, so it keeps nobody from erasing the first one.
    const erased = await app.request('POST', `/api/events/envelopes/${first}/erase-payload`);
    expect(erased.status).toBeLessThan(300);
    const body = { enabled: false };
    await app.request('PATCH', `/api/events/subscriptions/${subscription.id}`, { body });
    await beQuiet(task);
    await ended(task, 1);
    const [run] = await runsOf(task);
    expect(run).toMatchObject({ envelopeId: last });
    expect((await app.request<Run>('GET', `/api/runs/${run?.id}`)).body.trigger?.payload).toEqual({ n: 2 });
    await drop(subscription);
  });

  verifies('subscriptions.debounce', 'keeps the last event if an older one is dispatched later', async () => {
    const { task, subscription } = await debounced({ windowMs: HOUR });
    const older = await recordEnvelope(app, {
      applicationId: shop.applicationId,
      payload: { n: 1 },
      status: 'PENDING',
    });
    const last = await emit({ n: 2 });
    await app.sql(
      `update run_queue set available_at = clock_timestamp() + interval '1 minute' where task_id = $1`,
      [task.id],
    );
    await app.sql(
      `insert into envelope_outbox (envelope_id, generation, space_id, next_publish_at) values ($1, 0, $2, clock_timestamp())`,
      [older, app.admin.spaceId],
    );
    await shop.dispatched(older);
    const [run, ...more] = await runsOf(task);
    expect([run, more]).toMatchObject([{ envelopeId: last, status: 'QUEUED' }, []]);
    expect((await outcomeOf(older, subscription)).runIds).toEqual([run?.id]);
    // It has come within the window, so it moves the start as well.
    const moved = await app.sql(
      `select from run_queue where task_id = $1 and available_at > clock_timestamp() + interval '50 minutes'`,
      [task.id],
    );
    expect(moved).toHaveLength(1);
    await beQuiet(task);
    await ended(task, 1);
    const { body } = await app.request<Run>('GET', `/api/runs/${run?.id}`);
    expect(body.trigger).toMatchObject({ id: last, payload: { n: 2 } });
    await drop(subscription);
  });

  verifies(
    'subscriptions.debounce',
    'leaves what waits alone if it moves to another task or event',
    async () => {
      const shopped = await EmittingApp.install(app, { identifier: 'moving' });
      const tasks = new Map([
        ['old', (await shopped.task('Old')).id],
        ['new', (await shopped.task('New')).id],
      ]);
      const move = (taskKey: string, event = 'order.created') =>
        shopped.upgrade(
          [ORDER_CREATED, { ...ORDER_CREATED, name: 'order.paid' }],
          [{ key: 'default', event, taskKey, debounce: { windowMs: HOUR } }],
          tasks,
        );
      const envelopes: string[] = [];
      for (const [taskKey, event] of [
        ['old', 'order.created'],
        ['new', 'order.created'],
        ['new', 'order.paid'],
      ] as const) {
        await move(taskKey, event);
        const { envelopeId } = await shopped.emit({ n: 1 }, { event });
        await shopped.dispatched(envelopeId);
        envelopes.push(envelopeId);
      }
      const queued = await Promise.all([...tasks.values()].map((id) => runsOf({ id })));
      expect(queued.map((runs) => runs.map(({ envelopeId }) => envelopeId))).toEqual([
        [envelopes[0]],
        [envelopes[1], envelopes[2]],
      ]);
      for (const id of tasks.values()) await app.request('DELETE', `/api/tasks/${id}`);
    },
  );

  it('is changed and removed', async () => {
    const { subscription } = await debounced({ windowMs: HOUR });
    const change = async (debounce: unknown) =>
      app.request<Subscription & ErrorBody>('PATCH', `/api/events/subscriptions/${subscription.id}`, {
        body: { debounce },
      });
    expect((await change({ key: 'amount', windowMs: 100 })).body.debounce).toEqual({
      key: 'amount',
      windowMs: 100,
    });
    expect((await change(null)).body.debounce).toBeNull();
    for (const [debounce, message] of [
      [[], 'debounce must be an object with windowMs, and optionally key'],
      [{}, 'debounce.windowMs must be an integer from 100 to 86400000'],
      [{ windowMs: 99 }, 'debounce.windowMs must be an integer from 100 to 86400000'],
      [{ windowMs: 86_400_001 }, 'debounce.windowMs must be an integer from 100 to 86400000'],
      [{ windowMs: '500' }, 'debounce.windowMs must be an integer from 100 to 86400000'],
      [{ windowMs: 500, key: '' }, 'debounce.key must name a field of the payload, such as customer.id'],
      [{ windowMs: 500, key: 7 }, 'debounce.key must name a field of the payload, such as customer.id'],
      [{ windowMs: 500, keys: [] }, 'debounce.keys is not a known field'],
    ] as const) {
      const { status, body } = await change(debounce);
      expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
    }
    await drop(subscription);
  });
});
