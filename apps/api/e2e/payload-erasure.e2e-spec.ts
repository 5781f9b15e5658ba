import { createHash } from 'node:crypto';
import type {
  BulkReplay,
  EnvelopeDetail,
  EnvelopePage,
  FilterPreview,
  Question,
  Run,
  Step,
  Tool,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { AwaitedEvents1763600000110 } from '../src/migrations/0110-awaited-events.ts';
import { ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { answerInbox, inboxOf } from './harness/approval-calls.ts';
import { EmittingApp, ORDER_CREATED } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { recordEnvelope } from './harness/event-calls.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const SECRET = 'ada.lovelace@example.com';
const PAYLOAD = { n: 1, kind: SECRET, note: `of ${SECRET}` };
const CALLED = 'grace.hopper@example.com';

let app: TestApp;
let server: ToolServer;
let shop: EmittingApp;

beforeAll(async () => {
  server = await ToolServer.start();
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` } });
  const { properties, ...schema } = ORDER_CREATED.payloadSchema as { properties: object };
  const payloadSchema = { ...schema, properties: { ...properties, note: { type: 'string' } } };
  const orderPaid = { ...ORDER_CREATED, name: 'order.paid', payloadSchema };
  shop = await EmittingApp.install(app, { events: [{ ...ORDER_CREATED, payloadSchema }, orderPaid] });
  // Everything that a run stores quotes the payload: input, output, log, and the message of its error.
  const source = (last: string) =>
    `const { note } = context.execution.inputs.trigger.payload; console.log(note); ${last}`;
  const task = await shop.task(
    'quotes',
    [
      { id: 'returns', kind: 'code', source: source('return note;') },
      { id: 'throws', kind: 'code', source: source('throw new Error(note);') },
    ],
    { retry: { attempts: 1, backoffMs: 1_000, onInterrupted: false } },
  );
  await shop.subscribe(task);
  await shop.subscribe(task, { filter: { kind: 'other' } });
});
afterAll(async () => {
  await app.close();
  await server.stop();
});

const erase = (id: string, as = app.admin) =>
  app.request<EnvelopeDetail & { message?: string }>('POST', `/api/events/envelopes/${id}/erase-payload`, {
    as,
  });

const replay = (id: string, body: object = {}) =>
  app.request<{ message?: string }>('POST', `/api/events/envelopes/${id}/replay`, { body });

/** An envelope whose run has failed, in two generations. */
async function emitted(key: string): Promise<{ id: string; runIds: string[] }> {
  const { envelopeId: id } = await shop.emit(PAYLOAD, { key });
  const ended = (count: number) =>
    eventually(async () => {
      const runs = await shop.runs(id);
      expect(runs.map(({ status }) => status)).toEqual(Array(count).fill('FAILED'));
      return runs;
    });
  await ended(1);
  await replay(id);
  return { id, runIds: (await ended(2)).map((run) => run.id) };
}

/** The tables in which a text occurs. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await app.sql<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await app.sql(`select 1 from "${name}" t where strpos(t::text, $1) > 0 limit 1`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('erasing a payload', () => {
  verifies('events.erasure', 'leaves it in no table, and keeps what became of the event', async () => {
    const { id, runIds } = await emitted('first');
    expect(await tablesWith(SECRET)).toEqual([
      'envelope',
      'envelope_replay',
      'run',
      'run_attempt',
      'run_step',
    ]);
    const { body: before } = await app.request<EnvelopeDetail>('GET', `/api/events/envelopes/${id}`);
    expect(before).toMatchObject({ payload: PAYLOAD, erasure: null });

    const { status, body } = await erase(id);
    expect(status).toBe(200);
    const text = JSON.stringify(PAYLOAD);
    expect(body).toMatchObject({
      payload: {},
      status: 'DISPATCHED',
      deliveries: before.deliveries,
      erasure: {
        erasedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
        erasedBy: app.admin.userId,
        sha256: createHash('sha256').update(text).digest('hex'),
        bytes: Buffer.byteLength(text),
      },
    });
    expect(body.generations).toHaveLength(2);
    for (const [i, { verdicts, runs }] of body.generations.entries()) {
      expect(verdicts.map(({ outcome, reason }) => [outcome, reason])).toEqual([
        ['MATCHED', null],
        ['FILTER_MISMATCH', null],
      ]);
      expect(runs).toEqual(before.generations[i]?.runs);
    }
    expect(await tablesWith(SECRET)).toEqual([]);

    const { body: run } = await app.request<Run>('GET', `/api/runs/${runIds[0]}`);
    const erased = { message: 'The message was erased' };
    expect(run).toMatchObject({
      status: 'FAILED',
      erasedAt: expect.any(String) as unknown,
      attempt: 2,
      error: { code: 'STEP_FAILED', ...erased },
      attempts: [{ error: erased }, { error: erased }],
      steps: [
        { status: 'SUCCEEDED', input: null, output: null, log: '' },
        { status: 'FAILED', input: null, output: null, log: '', error: erased },
      ],
    });
    expect(run.trigger?.payload).toEqual({});
  });

  it('erases errors whose messages have what no text can have', async () => {
    const { id, runIds } = await emitted('unusual');
    const error = String.raw`{"code":"STEP_FAILED","message":"a\u0000b \ud800"}`;
    for (const [table, key] of [
      ['run', 'id'],
      ['run_attempt', 'run_id'],
      ['run_step', 'run_id'],
    ])
      await app.sql(`update ${table} set error = $2 where ${key} = any($1::uuid[])`, [runIds, error]);
    expect((await erase(id)).status).toBe(200);
    const { body: run } = await app.request<Run>('GET', `/api/runs/${runIds[0]}`);
    expect(run.error).toEqual({ code: 'STEP_FAILED', message: 'The message was erased' });
  });

  verifies('events.erasure', 'leaves nothing of a call that was approved, except what it was', async () => {
    const note = { type: 'string', isPort: true };
    const body = {
      name: 'Mail',
      serverUrl: server.url,
      methods: [
        {
          name: 'send',
          httpMethod: 'post',
          path: '/mails',
          inputSchema: { type: 'object', properties: { note } },
          bindings: [{ port: 'note', in: 'body', name: 'note' }],
          bodyMediaType: 'application/json',
        },
      ],
    };
    const { id: toolId } = (await app.request<Tool>('POST', '/api/tools', { body })).body;
    const input = { note: '{{trigger.payload.note}}' };
    const send: Step = { id: 'send', kind: 'tool', toolId, method: 'send', input, policy: { mode: 'ask' } };
    await shop.subscribe(await shop.task('sends', [send]), { event: 'order.paid', filter: { n: 2 } });
    const { envelopeId } = await shop.emit({ n: 2, note: CALLED }, { event: 'order.paid' });
    const question = await eventually(async () => {
      const [found] = await inboxOf(app, app.admin);
      if (found === undefined) throw new Error('Nothing is asked');
      return found;
    });
    expect(question.call?.arguments).toEqual({ note: CALLED });
    const edited = { note: `To ${CALLED}` };
    await answerInbox(app, question.id, { approved: true, arguments: edited }, app.admin);
    await eventually(async () =>
      expect(await shop.runs(envelopeId)).toMatchObject([{ status: 'SUCCEEDED' }]),
    );
    const read = () => app.request<Question>('GET', `/api/inbox/${question.id}`);
    const before = (await read()).body;
    expect(before).toMatchObject({ edited });

    expect((await erase(envelopeId)).status).toBe(200);
    const { status, body: after } = await read();
    expect(status).toBe(200);
    const message = 'The message was erased';
    const call = { ...before.call, arguments: {} };
    expect(after).toEqual({ ...before, message, call, values: null, edited: null });
    expect(await tablesWith(CALLED)).toEqual([]);
  });

  verifies('events.erasure', 'reaches runs that waited for the event, once they have ended', async () => {
    const runs = new RunCalls(app);
    const until = (filter: object, id: string): Step => ({
      id,
      kind: 'wait',
      event: { applicationIdentifier: 'shop', event: 'order.paid', filter: { ...filter } },
    });
    const waiting = async (steps: Step[]) => {
      const run = await runs.start(await runs.createTask(steps));
      return runs.reached(run, 'WAITING');
    };
    const done = await waiting([until({ n: 3 }, 'paid')]);
    const other = await waiting([until({ n: 4 }, 'paid')]);
    const going = await waiting([until({ n: 3 }, 'paid'), { id: 'pause', kind: 'wait', for: 'PT1H' }]);
    const { envelopeId: kept } = await shop.emit({ n: 4, note: 'kept \u0000' }, { event: 'order.paid' });
    const { envelopeId } = await shop.emit({ ...PAYLOAD, n: 3 }, { event: 'order.paid' });
    const ended = await runs.reached(done, 'SUCCEEDED');
    expect(ended.steps).toMatchObject([{ output: { trigger: { id: envelopeId, payload: { n: 3 } } } }]);
    await eventually(async () => {
      const { status, steps } = await runs.get(going);
      expect([status, steps.length]).toEqual(['WAITING', 2]);
    });
    const refused = await erase(envelopeId);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `1 of the runs of envelope ${envelopeId} have not ended: wait for them, or cancel them`,
    ]);
    await runs.cancel(going);
    // As if they had waited before events were remembered.
    await app.sql('delete from awaited_event');
    const runner = app.get(DataSource).createQueryRunner();
    await new AwaitedEvents1763600000110().up(runner);
    await runner.release();

    expect((await erase(envelopeId)).status).toBe(200);
    expect(await tablesWith(SECRET)).toEqual([]);
    for (const run of [done, going])
      expect(await runs.get(run)).toMatchObject({
        erasedAt: expect.any(String) as unknown,
        steps: [
          { id: 'paid', status: 'SUCCEEDED', output: null },
          ...(run === going ? [{ id: 'pause' }] : []),
        ],
      });
    const untouched = await runs.reached(other, 'SUCCEEDED');
    expect(untouched).toMatchObject({ steps: [{ output: { trigger: { id: kept } } }] });
    expect(untouched.erasedAt ?? null).toBeNull();
    const entries = await app.sql(
      `select details from audit_entry where target_id = $1 and action = 'envelope.erase-payload'`,
      [envelopeId],
    );
    expect(entries).toEqual([{ details: { runs: 2 } }]);
  });

  verifies('events.erasure.final', 'ends replays and attempts, and searches do not find it', async () => {
    const { id, runIds } = await emitted('second');
    const search = async () =>
      (await app.request<EnvelopePage>('GET', `/api/events/envelopes?text=${SECRET}`)).body.items;
    expect((await search()).map((item) => item.id)).toContain(id);
    await erase(id);
    expect((await search()).map((item) => item.id)).not.toContain(id);

    const again = await replay(id);
    expect([again.status, again.body.message]).toEqual([
      409,
      'The payload of the envelope was erased, so it cannot be replayed',
    ]);
    const retried = await app.request<{ message: string }>('POST', `/api/runs/${runIds[0]}/retry`);
    expect([retried.status, retried.body.message]).toEqual([
      409,
      `The payload of run ${runIds[0]} was erased, so it cannot be attempted again`,
    ]);
    const query = { event: 'order.created', from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
    const { body: bulk } = await app.request<BulkReplay>('POST', '/api/events/replays', { body: query });
    await eventually(async () => {
      const { body } = await app.request<BulkReplay>('GET', `/api/events/replays/${bulk.id}`);
      expect(body.status).toBe('COMPLETED');
      expect(body.refused).toBeGreaterThan(0);
      expect(body.lastError).toContain('was erased, so it cannot be replayed');
    });
    expect((await shop.envelope(id)).generation).toBe(1);

    const preview = await app.request<FilterPreview>('POST', '/api/events/subscriptions/preview', {
      body: { applicationIdentifier: 'shop', event: 'order.created', filter: {} },
    });
    expect(preview.body.items.map(({ envelopeId }) => envelopeId)).not.toContain(id);
    // A process of the version before does not know of it: the database refuses.
    await expect(app.sql(`update envelope set status = 'PENDING' where id = $1`, [id])).rejects.toThrow(
      'envelope_erased',
    );
    await expect(app.sql(`update run set status = 'QUEUED' where id = $1`, [runIds[0]])).rejects.toThrow(
      'run_erased',
    );
  });

  verifies('events.erasure.key', 'leaves its key taken, and duplicates are compared truthfully', async () => {
    const { id } = await emitted('third');
    await erase(id);
    const same = await shop.emit(PAYLOAD, { key: 'third' });
    expect(same).toMatchObject({ envelopeId: id, duplicate: true, samePayload: true });
    const other = await shop.emit({ n: 2 }, { key: 'third' });
    expect(other).toMatchObject({ envelopeId: id, duplicate: true, samePayload: false });
  });

  verifies('events.erasure.unfinished', 'is refused while something may still read the payload', async () => {
    const pending = await recordEnvelope(app, {
      applicationId: shop.applicationId,
      status: 'PENDING',
      payload: PAYLOAD,
    });
    const first = await erase(pending);
    expect([first.status, first.body.message]).toEqual([
      409,
      `Envelope ${pending} is PENDING: its payload can be erased once it is dispatched`,
    ]);
    await app.sql(`delete from envelope where id = $1`, [pending]);

    const { id, runIds } = await emitted('fourth');
    await app.sql(`update run set status = 'RUNNING' where id = $1`, [runIds[1]]);
    const { status, body } = await erase(id);
    expect([status, body.message]).toEqual([
      409,
      `1 of the runs of envelope ${id} have not ended: wait for them, or cancel them`,
    ]);
    expect((await shop.envelope(id)).payload).toEqual(PAYLOAD);
    expect(await app.sql('select 1 from run where envelope_id = $1 and erased_at is not null', [id])).toEqual(
      [],
    );
    await app.sql(`update run set status = 'FAILED' where id = $1`, [runIds[1]]);
    expect((await erase(id)).status).toBe(200);
  });

  verifies('events.erasure.once', 'happens once, by an admin, and is in the audit log', async () => {
    const { id } = await emitted('fifth');
    expect((await erase(id, app.member)).status).toBe(403);
    expect((await erase(id, app.outsider)).status).toBe(403);
    const answers = await Promise.all([erase(id), erase(id), erase(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.erasure))).size).toBe(1);
    expect(
      await app.sql(
        `select action, details, actor_user_id from audit_entry where target_id = $1 and action like '%erase%'`,
        [id],
      ),
    ).toEqual([{ action: 'envelope.erase-payload', details: { runs: 2 }, actor_user_id: app.admin.userId }]);
  });

  verifies('events.erasure.final', 'excludes a replay that is requested at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await recordEnvelope(app, { applicationId: shop.applicationId, payload: PAYLOAD });
      const [erased, replayed] = await Promise.all([erase(id), replay(id)]);
      expect([erased.status, replayed.status]).toEqual(
        erased.status === 200 && replayed.status === 409 ? [200, 409] : [409, 202],
      );
    }
  });
});
