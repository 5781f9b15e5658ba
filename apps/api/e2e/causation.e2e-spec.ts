import type { EmitBatchResponse, EnvelopeDetail, Run } from '@platform/contracts';
import { CAUSATION_HEADER, CAUSATION_SECONDS, CausationTokens } from '../src/auth/credentials/causation.ts';
import { type Answer, TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { codeWorkflow, EventBus } from './harness/event-bus.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let bus: EventBus;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

// Each test has a space of its own, with the shop installed.
beforeEach(async () => {
  const admin = await app.addUser('ADMIN', null);
  bus = new EventBus(app, admin, await installApplication(app, shopManifest(), admin));
});

const sign = (runId: string, spaceId = bus.admin.spaceId) =>
  app.get(CausationTokens).sign({ runId, spaceId });

/** An order that was created, and the run that it started. */
async function startRun(): Promise<{ id: string; run: Run }> {
  const id = await bus.record('order.created', { total: 1 });
  const [run] = await bus.runsOf(id, 1);
  if (run === undefined) throw new Error('No run was started');
  return { id, run };
}

const calls = async <Body>(runId: string, path: string): Promise<Answer<Body>> =>
  app.request<Body>('POST', path, {
    as: bus.admin,
    headers: { [CAUSATION_HEADER]: await sign(runId) },
    body: {},
  });
const start = (taskId: string, runId: string) => calls<Run>(runId, `/api/tasks/${taskId}/run`);
const replay = (id: string, runId: string) => calls(runId, `/api/events/envelopes/${id}/replay`);

const emit = async (event: string, header: string): Promise<EnvelopeDetail> =>
  bus.envelope(await bus.record(event, { total: 2 }, { headers: { [CAUSATION_HEADER]: header } }));
const FIRST = { causationId: null, causationRunId: null, depth: 0, statusReason: null };

describe('a call with the header of a run', () => {
  verifies('causation.header', 'emits what the run has caused', async () => {
    const { id, run } = await startRun();
    const caused = await emit('order.shipped', await sign(run.id));
    expect(caused).toMatchObject({ causationId: id, causationRunId: run.id, depth: 1, statusReason: null });
    expect((await bus.envelope(id)).causation.map(({ envelopeId, depth }) => [envelopeId, depth])).toEqual([
      [id, 0],
      [caused.id, 1],
    ]);
  });

  verifies('causation.loop', 'that emits the event which started the run ends there', async () => {
    const { id, run } = await startRun();
    const looped = await emit('order.created', await sign(run.id));
    expect(looped).toMatchObject({
      status: 'SKIPPED',
      statusReason: 'SAME_EVENT_LOOP',
      causationId: id,
      depth: 1,
      matchedCount: 0,
    });
    await bus.runsOf(looped.id, 0);
  });

  verifies(
    'causation.loop',
    'that emits a batch ends there for the event which started the run',
    async () => {
      const { id, run } = await startRun();
      const events = ['order.created', 'order.shipped'].map((event) => ({
        appIdentifier: 'shop',
        event,
        payload: { total: 2 },
      }));
      const { items } = (
        await app.request<EmitBatchResponse>('POST', '/api/events/emit-batch', {
          as: bus.application,
          headers: { [CAUSATION_HEADER]: await sign(run.id) },
          body: { events },
        })
      ).body;
      expect(items).toMatchObject([{ status: 'SKIPPED' }, { status: 'PENDING' }]);
      for (const item of items) {
        expect('envelopeId' in item && (await bus.envelope(item.envelopeId))).toMatchObject({
          causationId: id,
          causationRunId: run.id,
          depth: 1,
        });
      }
    },
  );

  verifies('causation.loop', 'that starts a task which emits the event again ends there', async () => {
    const { id, run } = await startRun();
    const emission = { kind: 'emit' as const, applicationIdentifier: 'shop', event: 'order.created' };
    const task = await bus.createTask({ steps: [{ id: 'again', ...emission, payload: { total: 2 } }] });
    const started = await app.request<Run>('POST', `/api/tasks/${task.id}/run`, {
      as: bus.admin,
      headers: { [CAUSATION_HEADER]: await sign(run.id) },
      body: {},
    });
    expect(started.body).toMatchObject({ origin: 'MANUAL', trigger: null });
    const ended = await eventually(async () => {
      const found = await bus.run(started.body.id);
      expect(found.status).toBe('SUCCEEDED');
      return found;
    });
    const [step] = ended.steps;
    const { envelopeId } = step?.output as { envelopeId: string };
    expect(await bus.envelope(envelopeId)).toMatchObject({
      status: 'SKIPPED',
      statusReason: 'SAME_EVENT_LOOP',
      causationRunId: started.body.id,
      depth: 2,
    });
    expect((await bus.envelope(id)).causation.map(({ envelopeId: one }) => one)).toEqual([id, envelopeId]);
  });

  verifies('causation.starts', 'starts no task that its chain contains, itself included', async () => {
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => bus.createTask(codeWorkflow('return 1'), name)),
    );
    if (first === undefined || second === undefined) throw new Error('No task was created');
    const byHand = (await bus.post<Run>(`/api/tasks/${first.id}/run`)).body;
    const itself = await start(first.id, byHand.id);
    expect([itself.status, itself.body]).toEqual([
      409,
      {
        success: false,
        code: 'CONFLICT',
        message: `Task ${first.id} is part of the chain that led to this call: it would repeat itself`,
      },
    ]);
    const other = await start(second.id, byHand.id);
    expect(other.status).toBe(202);
    expect((await start(first.id, other.body.id)).status).toBe(409);
  });

  verifies('causation.starts', 'starts no task more than 8 levels below the first', async () => {
    let { id: runId } = (await startRun()).run;
    const statuses: number[] = [];
    for (let level = 1; level <= 9; level++) {
      const task = await bus.createTask(codeWorkflow('return 1'), `Level ${level}`);
      const started = await start(task.id, runId);
      statuses.push(started.status);
      runId = started.body.id;
    }
    expect(statuses).toEqual([...Array<number>(8).fill(202), 409]);
  });

  verifies('causation.starts', 'replays no envelope of an event that led to it', async () => {
    const { id, run } = await startRun();
    const own = await replay(id, run.id);
    expect([own.status, own.body]).toEqual([
      409,
      {
        success: false,
        code: 'CONFLICT',
        message: 'The event order.created is part of the chain that led to this call: it would repeat itself',
      },
    ]);
    const many = await app.request('POST', '/api/events/replays', {
      as: bus.admin,
      headers: { [CAUSATION_HEADER]: await sign(run.id) },
      body: { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' },
    });
    expect(many.status).toBe(409);
    await bus.runsOf(id, 1);
  });

  verifies('causation.starts', 'replays other envelopes below it, for that replay alone', async () => {
    const { id, run } = await startRun();
    const task = await bus.createTask(codeWorkflow('return inputs.trigger.depth'));
    const shipped = await bus.record('order.shipped', { total: 2 });
    await bus.dispatched(shipped);
    await bus.subscribe('order.shipped', task.id);
    // Generation 0 is before the subscription.
    expect((await replay(shipped, run.id)).status).toBe(202);
    const [below] = await bus.runsOf(shipped, 1);
    expect(below?.trigger).toMatchObject({ id: shipped, depth: 1 });
    expect((await replay(id, below?.id ?? '')).status).toBe(409);
    expect((await bus.post(`/api/events/envelopes/${shipped}/replay`)).status).toBe(202);
    const runs = await bus.runsOf(shipped, 2);
    expect(runs.map(({ trigger }) => trigger?.depth).sort()).toEqual([0, 1]);
  });

  verifies('causation.header', 'by a user writes rows whose events it has caused', async () => {
    const { id, run } = await startRun();
    await app.request('POST', '/api/data/shop/orders/rows', {
      as: bus.admin,
      headers: { [CAUSATION_HEADER]: await sign(run.id) },
      body: { total: 3 },
    });
    const { items } = (await bus.get<{ items: { id: string }[] }>('/api/events/envelopes?limit=1')).body;
    expect(await bus.envelope(items[0]?.id ?? '')).toMatchObject({
      source: 'datasource',
      status: 'SKIPPED',
      statusReason: 'SAME_EVENT_LOOP',
      causationId: id,
      causationRunId: run.id,
    });
  });

  verifies('causation.loop', 'that goes on over several events ends at the depth of 8', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `chain.e${i}`);
    const admin = await app.addUser('ADMIN', null);
    const manifest = shopManifest({
      events: names.map((name) => ({ name, description: '', payloadSchema: {} })),
      tables: [],
      subscriptions: names.map((event) => ({ key: event.replace('.', '-'), event, taskKey: 'greet' })),
    });
    bus = new EventBus(app, admin, await installApplication(app, manifest, admin));
    let runId: string | null = null;
    const seen: unknown[] = [];
    for (const name of names) {
      const header = runId === null ? {} : { headers: { [CAUSATION_HEADER]: await sign(runId) } };
      const id = await bus.record(name, {}, header);
      const { depth, statusReason } = await bus.envelope(id);
      seen.push([depth, statusReason]);
      if (statusReason !== null) break;
      runId = (await bus.runsOf(id, 1))[0]?.id ?? null;
    }
    expect(seen).toEqual([...Array.from({ length: 9 }, (_, depth) => [depth, null]), [9, 'DEPTH_LIMIT']]);
  });
});

describe('a header that is not valid', () => {
  verifies('causation.forged', 'is ignored: the call goes on as if it were not there', async () => {
    const { run } = await startRun();
    const valid = await sign(run.id);
    const [head = '', claims = '', signature = ''] = valid.split('.');
    const other = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
    const longer = Buffer.from(JSON.stringify({ ...other, exp: 9_999_999_999 })).toString('base64url');
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'causation+jwt' })).toString('base64url');
    for (const header of [
      'x',
      run.id,
      JSON.stringify({ runId: run.id }),
      `${head}.${longer}.${signature}`,
      `${unsigned}.${claims}.`,
      `${head}.${claims}.${signature.slice(0, -4)}AAAA`,
    ]) {
      expect(await emit('order.created', header)).toMatchObject(FIRST);
    }
    expect(await emit('order.created', valid)).toMatchObject({ statusReason: 'SAME_EVENT_LOOP' });
  });

  verifies('causation.forged', 'because it has expired is ignored', async () => {
    const { run } = await startRun();
    const past = Date.now() - (CAUSATION_SECONDS + 1) * 1000;
    const late = new CausationTokens(Buffer.from(app.secretKey, 'base64'), { now: () => past });
    const expired = await late.sign({ runId: run.id, spaceId: bus.admin.spaceId });
    expect(await emit('order.created', expired)).toMatchObject(FIRST);
    const recent = new CausationTokens(Buffer.from(app.secretKey, 'base64'), { now: () => past + 60_000 });
    const valid = await recent.sign({ runId: run.id, spaceId: bus.admin.spaceId });
    expect(await emit('order.created', valid)).toMatchObject({ statusReason: 'SAME_EVENT_LOOP' });
  });

  verifies('causation.forged', 'because it is of another space is ignored', async () => {
    const { run } = await startRun();
    const header = await sign(run.id);
    const other: TestUser = await app.addUser('ADMIN', null);
    bus = new EventBus(app, other, await installApplication(app, shopManifest(), other));
    expect(await emit('order.created', header)).toMatchObject(FIRST);
    // A run of another space under the name of this one.
    expect(await emit('order.created', await sign(run.id))).toMatchObject({ depth: 0, causationId: null });
  });

  verifies('causation.forged', 'cannot be replaced by fields of the body', async () => {
    const { run } = await startRun();
    const answer = await app.request('POST', '/api/events/emit', {
      as: bus.application,
      body: { appIdentifier: 'shop', event: 'order.created', payload: { total: 1 }, causationRunId: run.id },
    });
    expect(answer.status).toBe(400);
    const id = await bus.record('order.created', { total: 1, depth: 7, causationId: run.id });
    expect(await bus.envelope(id)).toMatchObject(FIRST);
  });
});
