import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  ApplicationManifest,
  DataRow,
  EventSummary,
  InstalledApplication,
  Run,
  Step,
  Task,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import type { UserPrincipal } from '../src/auth/principals/principal.ts';
import { ActionRegistry, type ActionContext } from '../src/tasks/definition/action.registry.ts';
import { RateLimits } from '../src/auth/limits/rate-limits.ts';
import { EmissionRefusalsWorker } from '../src/events/summary/emission-refusals.worker.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { RunCalls } from './harness/run-calls.ts';
import { EmittingApp, ORDER_CREATED } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

describe('steps that emit', () => {
  let app: TestApp;
  let shop: EmittingApp;

  beforeAll(async () => {
    app = await TestApp.start();
    shop = await EmittingApp.install(app, {
      events: [ORDER_CREATED, { ...ORDER_CREATED, name: 'order.checked' }],
    });
  });

  afterAll(() => app.close());

  const step = (event: string, payload: Record<string, unknown>): Step => ({
    id: 'out',
    kind: 'emit',
    applicationIdentifier: 'shop',
    event,
    payload,
  });

  async function finished(id: string): Promise<Run> {
    return eventually(async () => {
      const { body } = await app.request<Run>('GET', `/api/runs/${id}`);
      if (body.finishedAt === null) throw new Error(`The run is ${body.status}`);
      return body;
    });
  }

  async function runOnce(task: Task): Promise<Run> {
    const { body } = await app.request<Run>('POST', `/api/tasks/${task.id}/run`, {
      body: { inputs: { n: 5 } },
    });
    return finished(body.id);
  }

  verifies(
    ['events.emit.space-limit', 'events.emit.refusals-shown'],
    'count toward the limit of their space, as rows, code, and test emissions do',
    async () => {
      const person = await app.addUser('ADMIN', null);
      const application = await installApplication(app, shopManifest(), person);
      const post = (path: string, body: unknown, as = person) => app.request('POST', path, { as, body });
      const rows = () => post('/api/data/shop/orders/rows/batch', { rows: [{ total: 1 }, { total: 2 }] });
      expect((await rows()).status).toBe(201);
      const limits = app.get(RateLimits);
      limits.countEmissions(person.spaceId, 30_000 - 2);
      const message = 'The space emits at most 30000 events per minute';
      const emission = { appIdentifier: 'shop', event: 'order.created', payload: { total: 1 } };
      for (const refused of [
        await rows(),
        await post('/api/data/shop/orders/rows', { total: 1 }),
        await post('/api/events/emit', emission, application),
        await post('/api/events/catalog/shop/order.created/test', { payload: { total: 1 } }),
      ]) {
        expect([refused.status, refused.body]).toMatchObject([429, { code: 'RATE_LIMITED', message }]);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      const [stored] = await app.sql<{ count: number }>(
        'select count(*)::int as count from data_row where space_id = $1',
        [person.spaceId],
      );
      expect(stored?.count).toBe(2);
      const own = new RunCalls(app, person);
      const emit = { ...step('order.created', { total: 1 }), kind: 'emit' as const };
      const source =
        "return platform.emit({ applicationIdentifier: 'shop', event: 'order.created', payload: { total: 1 } })";
      for (const one of [emit, { id: 'out', kind: 'code' as const, source }] as Step[]) {
        const failed = await own.result([one]);
        expect(failed).toMatchObject({
          status: 'FAILED',
          error: { message: expect.stringContaining(message) },
        });
      }
      await app.get(EmissionRefusalsWorker).store();
      const { body } = await app.request<EventSummary>('GET', '/api/events/summary?window=1h', {
        as: person,
      });
      expect(body.emissionLimit).toEqual({
        perMinute: 30_000,
        refused: 7,
        lastRefusedAt: expect.any(String),
      });
    },
  );

  verifies('events.step.emitted', 'emit as the owner, with source app and a first depth', async () => {
    const run = await runOnce(await shop.task('emit', [step('order.created', { n: '{{inputs.n}}' })]));
    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { status: 'PENDING' } }] });
    const { envelopeId } = run.steps[0]?.output as { envelopeId: string };
    expect(await shop.envelope(envelopeId)).toMatchObject({
      payload: { n: 5 },
      source: 'app',
      actor_user_id: app.admin.userId,
      idempotency_key: null,
      depth: 0,
      causation_id: null,
      causation_run_id: run.id,
      root_id: envelopeId,
    });
  });

  verifies(
    'run.code.early',
    'run code while its start is stored, and let its calls wait for that',
    async () => {
      const source = `
      const begun = Date.now();
      await platform.emit({ applicationIdentifier: 'shop', event: 'order.created', payload: { n: 7 } });
      return begun;`;
      const task = await shop.task('early', [{ id: 'out', kind: 'code', source }]);
      const emitted = () => app.sql(`select from envelope where payload->>'n' = '7'`);
      const holder = app.get(DataSource).createQueryRunner();
      await holder.startTransaction();
      await holder.query('lock table run_step in share mode');
      const { body } = await app.request<Run>('POST', `/api/tasks/${task.id}/run`);
      await eventually(async () => {
        const waiting = await app.sql(
          `select from pg_locks where relation = 'run_step'::regclass and not granted`,
        );
        expect(waiting).toHaveLength(1);
      });
      await delay(300);
      expect(await emitted()).toHaveLength(0);
      const releasedAt = Date.now();
      await holder.rollbackTransaction();
      await holder.release();
      const run = await finished(body.id);
      expect(run.status).toBe('SUCCEEDED');
      expect(run.steps[0]?.output).toBeLessThan(releasedAt);
      expect(await emitted()).toHaveLength(1);
    },
  );

  verifies('events.step.skipped', 'succeed with the reason if the loop guard skips the event', async () => {
    const task = await shop.task('loop', [step('order.checked', { n: 1 })]);
    await shop.subscribe(task, { event: 'order.checked' });
    const { envelopeId } = await shop.emit({ n: 1 }, { event: 'order.checked' });
    await shop.dispatched(envelopeId);
    const [started] = await shop.runs(envelopeId);
    const run = await finished(started?.id ?? '');
    const output = run.steps[0]?.output as { envelopeId: string };
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: { status: 'SKIPPED', reason: 'SAME_EVENT_LOOP' } }],
    });
    const skipped = await shop.envelope(output.envelopeId);
    expect(skipped).toMatchObject({
      status: 'SKIPPED',
      status_reason: 'SAME_EVENT_LOOP',
      depth: 1,
      matched_count: 0,
      causation_id: envelopeId,
      causation_run_id: run.id,
      root_id: envelopeId,
    });
    expect(await app.sql('select from envelope_outbox where envelope_id = $1', [skipped.id])).toEqual([]);
    expect(await app.sql('select from delivery where envelope_id = $1', [skipped.id])).toEqual([]);
  });

  verifies('events.step.refused', 'fail with the reason if the event or its payload is refused', async () => {
    const run = await runOnce(await shop.task('wrong', [step('order.created', { n: 'x' })]));
    expect(run).toMatchObject({
      status: 'FAILED',
      error: { message: expect.stringContaining('payload.n must be integer') as unknown },
    });
    const desk = await EmittingApp.install(app, { identifier: 'leaving' });
    const task = await desk.task('gone', [
      { ...step('order.created', { n: 1 }), applicationIdentifier: 'leaving' } as Step,
    ]);
    await desk.uninstall();
    expect(await runOnce(task)).toMatchObject({
      status: 'FAILED',
      error: { message: expect.stringContaining('The application leaving is not installed') as unknown },
    });
    const unknown = await app.request('POST', '/api/tasks', {
      body: { name: 'x', type: 'MANUAL', workflow: { steps: [step('order.unknown', {})] } },
    });
    expect([unknown.status, unknown.body]).toMatchObject([
      400,
      { message: expect.stringContaining('The event order.unknown is not registered') as unknown },
    ]);
  });

  verifies('events.step.once', 'emit once for a step of a run, however often it is repeated', async () => {
    const action = app.get(ActionRegistry).get('emit');
    const runId = randomUUID();
    const owner = {
      kind: 'user',
      userId: app.admin.userId,
      spaceId: app.admin.spaceId,
      role: 'ADMIN',
      credential: { kind: 'internal', id: runId },
      causationRunId: runId,
    } as UserPrincipal;
    const context = (attempt: number): ActionContext => ({
      runId,
      attempt,
      spaceId: app.admin.spaceId,
      ownerUserId: owner.userId,
      owner,
      scope: 'out',
      stepKey: `${runId}:out:${attempt}`,
      effectKey: `${runId}:out`,
      startKey: `${runId}:out`,
      mayWait: true,
      isTest: false,
      start: () => Promise.resolve(owner),
      step: step('order.created', { n: 1 }),
      signal: new AbortController().signal,
      log: () => undefined,
      markActing: () => Promise.resolve(),
      trigger: null,
      inputs: {},
      steps: {},
    });
    const outputs = await Promise.all([1, 1, 1, 1, 2].map(async (attempt) => action?.run(context(attempt))));
    const ids = outputs.map((output) => (output as { envelopeId: string }).envelopeId);
    expect(new Set(ids).size).toBe(1);
    // The key that an application chooses is another one, even if it reads the same.
    expect(await shop.emit({ n: 1 }, { key: `${runId}:out` })).toMatchObject({ duplicate: false });
  });

  const emittedBy = async ({ id }: Run) =>
    (
      await app.sql<{ n: number }>(
        'select (payload->>$2)::int as n from envelope where causation_run_id = $1 order by id',
        [id, 'n'],
      )
    ).map(({ n }) => n);

  verifies('events.step.attempts', 'emit once in all attempts of a run, retried by hand or not', async () => {
    const code: Step = {
      id: 'code',
      kind: 'code',
      source: `const { attempt } = context.execution;
        const emit = (n) => platform.emit({ applicationIdentifier: 'shop', event: 'order.created', payload: { n } });
        const orders = attempt === 1 ? [7, 8, 8] : [8, 8, 9];
        const emitted = []; for (const n of orders) emitted.push(await emit(n));
        if (attempt < 3) throw new Error('later');
        return emitted.map(({ duplicate = false }) => duplicate)`,
    };
    const task = await shop.task('attempts', [step('order.created', { n: 1 }), code]);
    await app.request('PATCH', `/api/tasks/${task.id}`, { body: { retry: { attempts: 1, backoffMs: 0 } } });
    const run = await runOnce(task);
    expect(run).toMatchObject({ status: 'FAILED', attempt: 2 });
    // Code that makes other calls in another attempt loses none of them.
    expect(await emittedBy(run)).toEqual([1, 7, 8, 8, 9]);
    await app.request('POST', `/api/runs/${run.id}/retry`);
    expect(await finished(run.id)).toMatchObject({
      attempt: 3,
      // The step that has ended is not executed again.
      steps: [{ output: { status: 'PENDING' } }, { output: [true, true, true] }],
    });
    expect(await emittedBy(run)).toEqual([1, 7, 8, 8, 9]);
  });

  verifies('events.step.key', 'emit once per idempotency key, which may be a template', async () => {
    const keyed = {
      ...step('order.created', { n: '{{inputs.n}}' }),
      idempotencyKey: 'order-{{inputs.n}}',
    } as Step;
    const code: Step = {
      id: 'code',
      kind: 'code',
      source: `return await platform.emit({
        applicationIdentifier: 'shop', event: 'order.created', payload: { n: 6 }, idempotencyKey: 'order-5' })`,
    };
    const run = await runOnce(await shop.task('keyed', [keyed, code]));
    const { envelopeId } = run.steps[0]?.output as { envelopeId: string };
    expect(await shop.envelope(envelopeId)).toMatchObject({ idempotency_key: 'order-5', payload: { n: 5 } });
    expect(run.steps[1]?.output).toMatchObject({ envelopeId, duplicate: true, samePayload: false });
    expect(await shop.emit({ n: 5 }, { key: 'order-5' })).toMatchObject({ envelopeId, duplicate: true });
    expect(await emittedBy(run)).toEqual([5]);

    const long: Step = { id: 'long', kind: 'code', source: 'return "x".repeat(256)' };
    const tooLong = await runOnce(
      await shop.task('long', [long, { ...keyed, idempotencyKey: '{{steps.long.output}}' } as Step]),
    );
    expect(tooLong.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'idempotencyKey must be a text of 1 to 255 characters',
    });
    const { status, body } = await app.request('POST', '/api/tasks', {
      body: {
        name: 'x',
        type: 'MANUAL',
        workflow: { steps: [{ ...keyed, idempotencyKey: '{{steps.none.output}}' }] },
      },
    });
    expect([status, body]).toMatchObject([
      400,
      {
        message: expect.stringContaining(
          'workflow.steps.0.idempotencyKey has {{steps.none.output}}',
        ) as unknown,
      },
    ]);
  });
});

describe('data writes', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });

  afterAll(() => app.close());

  const MANIFEST: ApplicationManifest = {
    identifier: 'desk',
    name: 'Desk',
    version: '1.0.0',
    events: [
      {
        name: 'row.added',
        description: 'A row was added.',
        payloadSchema: { properties: { title: { type: 'string', maxLength: 5 } }, required: ['title'] },
      },
    ],
    tables: [
      {
        name: 'rows',
        columns: [{ name: 'title', type: 'string', required: true }],
        emits: { onInsert: 'row.added' },
      },
    ],
    tasks: [
      {
        key: 'again',
        name: 'Again',
        type: 'EVENT',
        workflow: {
          steps: [
            {
              id: 'out',
              kind: 'emit',
              applicationIdentifier: 'desk',
              event: 'row.added',
              payload: { title: 'again' },
            },
          ],
        },
      },
    ],
    subscriptions: [{ key: 'again', event: 'row.added', taskKey: 'again' }],
  };

  verifies(
    'events.data.recorded',
    'emit for each row; a row that violates the schema is FAILED; loops end',
    async () => {
      const installed = await app.request<InstalledApplication>('POST', '/api/applications', {
        body: MANIFEST,
      });
      expect([installed.status, installed.text.slice(0, 300)]).toMatchObject([
        201,
        expect.anything() as unknown,
      ]);
      const add = async (title: string) =>
        (await app.request<DataRow>('POST', '/api/data/desk/rows/rows', { body: { title } })).body;
      const row = await add('ok');
      const wrong = await add('too long');
      const envelopes = await eventually(async () => {
        // By status, because the step may emit before the second row is added.
        const found = await app.sql<{ id: string; status: string }>(`select * from envelope order by status`);
        expect(found).toHaveLength(3);
        expect(found.some(({ status }) => status === 'PENDING')).toBe(false);
        return found;
      });
      expect(envelopes).toMatchObject([
        {
          status: 'DISPATCHED',
          source: 'datasource',
          actor_user_id: app.admin.userId,
          matched_count: 1,
          depth: 0,
          payload: { id: row.id, createdAt: row.createdAt, title: 'ok' },
        },
        {
          status: 'FAILED',
          status_reason: 'PAYLOAD_SCHEMA',
          source: 'datasource',
          matched_count: 0,
          last_error: 'payload.title must NOT have more than 5 characters',
          payload: { id: wrong.id },
        },
        {
          status: 'SKIPPED',
          status_reason: 'SAME_EVENT_LOOP',
          source: 'app',
          causation_id: envelopes[0]?.id,
          depth: 1,
        },
      ]);
    },
  );
});
