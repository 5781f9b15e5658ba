import type { ErrorBody, Failures, Run, Step, TestTaskRequest, Tool } from '@platform/contracts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let server: ToolServer;
let calls: RunCalls;
let tool: Tool;
let shop: EmittingApp;

beforeAll(async () => {
  server = await ToolServer.start();
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` } });
  calls = new RunCalls(app);
  shop = await EmittingApp.install(app);
  const inputSchema = { type: 'object', properties: {} };
  const outputSchema = { type: 'object', properties: { id: { type: 'string', example: 'ch_1' } } };
  const body = {
    name: 'Payments',
    serverUrl: server.url,
    methods: [
      { name: 'charge', httpMethod: 'post', path: '/charge', inputSchema, outputSchema },
      { name: 'find', httpMethod: 'get', path: '/find', inputSchema },
    ],
  };
  tool = (await calls.request<Tool>('POST', '/tools', { body })).body;
});
afterAll(async () => {
  await app.close();
  await server.stop();
});
beforeEach(() => server.respond(sendJson({ id: 'real' })));

const call = (method: string): Step => ({ id: method, kind: 'tool', toolId: tool.id, method, input: {} });
const test = <B = Run>(task: { id: string }, body: Partial<TestTaskRequest>, by = calls) =>
  by.request<B>('POST', `/tasks/${task.id}/test`, { body });

async function tested(task: { id: string }, body: TestTaskRequest): Promise<Run> {
  const { status, body: run } = await test(task, body);
  expect([status, run.isTest]).toEqual([202, true]);
  return calls.reached(run);
}

const received = () => server.received.map(({ method }) => method);

describe('a test of a task', () => {
  verifies(
    'workflow.test',
    'executes nothing with effects, also in code, and says what was left out',
    async () => {
      const child = await calls.createTask([{ id: 'a', kind: 'code', source: 'return 1;' }]);
      const invoke = `await platform.tools.invoke('${tool.id}', 'charge', {})`;
      const fields = [{ key: 'amount', label: 'Amount', type: 'number' as const }];
      const task = await calls.createTask([
        call('find'),
        call('charge'),
        {
          id: 'code',
          kind: 'code',
          source: `return (${invoke}).output.id + context.execution.inputs.trigger.payload.n;`,
        },
        { id: 'pause', kind: 'wait', for: 'PT1H' },
        { id: 'ask', kind: 'ask', message: 'How much?', fields, approval: true },
        { id: 'child', kind: 'task', taskId: child.id, inputs: {} },
      ]);
      const trigger = { event: 'order.paid', payload: { n: 7 } };
      const run = await tested(task, { effects: 'none', trigger });
      expect(run).toMatchObject({ status: 'SUCCEEDED', test: { effects: 'none', workflow: null }, trigger });
      expect(received()).toEqual(['GET']);
      expect(run.steps.map(({ id, simulated }) => [id, simulated?.by ?? null])).toEqual([
        ['find', null],
        ['charge', 'example'],
        ['code', 'example'],
        ['pause', 'example'],
        ['ask', 'example'],
        ['child', 'example'],
      ]);
      const outputs = run.steps.map(({ output }) => output);
      expect(outputs[1]).toMatchObject({ status: 200, output: { id: 'ch_1' } });
      expect(outputs[2]).toBe('ch_17');
      expect(outputs[4]).toMatchObject({ values: { amount: 1 }, approved: true });
      expect((await calls.list(`/tasks/${child.id}/runs`)).items).toEqual([]);
      expect((await app.sql('select from question')).length).toBe(0);
    },
  );

  verifies('workflow.test', 'goes on with an example of the event that a step waits for', async () => {
    const event = { applicationIdentifier: 'shop', event: 'order.created' };
    const task = await calls.createTask([
      { id: 'order', kind: 'wait', event },
      { id: 'read', kind: 'code', source: 'return context.steps.order.output.trigger;' },
      { id: 'emit', kind: 'emit', ...event, payload: { n: '{{steps.order.output.trigger.payload.n}}' } },
    ]);
    const run = await tested(task, { effects: 'none' });
    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ simulated: { by: 'example' } }, {}, {}] });
    expect(run.steps[1]?.output).toMatchObject({
      event: 'order.created',
      payload: { n: expect.any(Number) },
    });
  });

  verifies('workflow.test', 'returns what the last run did, and has effects only if it shall', async () => {
    const task = await calls.createTask([call('charge')]);
    const last = await calls.reached(await calls.start(task), 'SUCCEEDED');
    const run = await tested(task, { effects: 'none' });
    expect(run.steps).toMatchObject([
      { output: last.steps[0]?.output, simulated: { by: 'run', runId: last.id }, status: 'SUCCEEDED' },
    ]);
    expect(received()).toEqual(['POST']);
    const real = await tested(task, { effects: 'real' });
    expect(real.steps).toMatchObject([{ simulated: null }]);
    expect(received()).toEqual(['POST', 'POST']);
  });

  verifies(
    'workflow.test.event',
    'repeats a recorded event, which is neither recorded nor told',
    async () => {
      const source =
        'const { trigger } = context.execution.inputs; console.log(trigger.payload.kind); return trigger;';
      const task = await calls.createTask([{ id: 'a', kind: 'code', source }], { type: 'EVENT' });
      const secret = 'grace.hopper@example.com';
      const { envelopeId } = await shop.emit({ n: 7, kind: secret });
      const run = await tested(task, { envelopeId });
      const envelope = await shop.dispatched(envelopeId);
      const trigger = {
        event: 'order.created',
        payload: { n: 7, kind: secret },
        source: 'app',
        id: envelopeId,
        emittedAt: envelope.emitted_at.toISOString(),
        spaceId: app.admin.spaceId,
        actorUserId: null,
        causationId: null,
        depth: 0,
      };
      expect(run).toMatchObject({ status: 'SUCCEEDED', test: { effects: 'none', envelopeId }, trigger });
      expect(run.steps.map(({ output }) => output)).toEqual([trigger]);
      expect(await shop.runs(envelopeId)).toEqual([]);
      const made = { envelopeId: null };
      expect((await tested(task, { inputs: {} })).test).toMatchObject(made);

      // The payload is in the envelope alone, so what a test says is erased with it.
      const erasure = `/events/envelopes/${envelopeId}/erase-payload`;
      await app.sql(`update run set status = 'RUNNING' where id = $1`, [run.id]);
      expect((await calls.request('POST', erasure)).status).toBe(409);
      await app.sql(`update run set status = 'SUCCEEDED' where id = $1`, [run.id]);
      expect((await calls.request('POST', erasure)).status).toBe(200);
      const erased = await calls.request('GET', `/runs/${run.id}`);
      expect(erased.text).not.toContain(secret);
      expect(erased.body).toMatchObject({
        erasedAt: expect.any(String) as unknown,
        trigger: { payload: {} },
      });
      const again = await test<ErrorBody>(task, { envelopeId });
      expect([again.status, again.body.message]).toEqual([
        409,
        `The payload of envelope ${envelopeId} was erased, so no task can be tested with it`,
      ]);
    },
  );

  verifies('workflow.test.event', 'takes only events that its caller may read', async () => {
    const step: Step = {
      id: 'a',
      kind: 'code',
      source: 'return context.execution.inputs.trigger.payload.n;',
    };
    const task = await calls.createTask([step], { type: 'EVENT' });
    const { envelopeId } = await shop.emit({ n: 1 });
    const wrong: [Partial<TestTaskRequest>, number, string][] = [
      [{ envelopeId: 'x' }, 400, 'envelopeId must be a UUID'],
      [{ envelopeId, inputs: {} }, 400, 'envelopeId must not be given together with trigger or inputs'],
      [{ envelopeId: task.id }, 404, `Envelope ${task.id} does not exist`],
    ];
    for (const [body, status, message] of wrong) {
      const answer = await test<ErrorBody>(task, body);
      expect([answer.status, answer.body.message]).toEqual([status, message]);
    }
    const other = await EmittingApp.install(app, { user: app.outsider });
    const foreign = (await other.emit({ n: 1 })).envelopeId;
    expect((await test(task, { envelopeId: foreign })).status).toBe(403);

    const member = calls.by(app.member);
    const own = await member.createTask([step], { type: 'EVENT' });
    const refused = await test<ErrorBody>(own, { envelopeId }, member);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `Envelope ${envelopeId} has started no run of yours: only admins can test with it`,
    ]);
    await shop.subscribe(own);
    const seen = (await shop.emit({ n: 5 })).envelopeId;
    await eventually(async () => expect(await shop.runs(seen)).toHaveLength(1));
    const answer = await test(own, { envelopeId: seen }, member);
    expect(answer.status).toBe(202);
    expect((await member.reached(answer.body)).steps).toMatchObject([{ output: 5 }]);
  });

  verifies('workflow.test.apart', 'takes a workflow that is not stored, and counts nowhere', async () => {
    const task = await calls.createTask([{ id: 'a', kind: 'code', source: 'return 1;' }], { enabled: false });
    const workflow = { steps: [{ id: 'b', kind: 'code', source: 'throw new Error("no");' }] } as const;
    const run = await tested(task, { effects: 'none', workflow: { steps: [...workflow.steps] } });
    expect(run).toMatchObject({ status: 'FAILED', steps: [{ id: 'b' }], test: { workflow } });
    const path = `/tasks/${task.id}/runs`;
    expect((await calls.list(path)).items).toEqual([]);
    expect((await calls.list(`${path}?isTest=true`)).items.map(({ id }) => id)).toEqual([run.id]);
    const failures = await calls.request<Failures>('GET', `/runs/failures?taskId=${task.id}`);
    expect(failures.body.items).toEqual([]);
    // Nothing is reported, and a process of the previous version would cancel it.
    expect(
      await app.sql('select reported_attempt, cancel_requested from run where id = $1', [run.id]),
    ).toEqual([{ reported_attempt: null, cancel_requested: true }]);
    expect((await calls.retry(run)).status).toBe(409);
    const entries = await app.sql(
      `select details from audit_entry where action = 'run.test' and target_id = $1`,
      [run.id],
    );
    expect(entries).toHaveLength(1);
  });

  verifies(
    'workflow.test.apart',
    'refuses what cannot be tested, and who may not edit the task',
    async () => {
      const task = await calls.createTask([{ id: 'a', kind: 'code', source: 'return 1;' }]);
      const wrong: [Partial<TestTaskRequest>, string][] = [
        [{ effects: 'some' as 'none' }, 'effects'],
        [{ effects: 'none', inputs: {}, trigger: { event: 'a', payload: {} } }, 'together with trigger'],
        [{ effects: 'none', trigger: { event: '', payload: {} } }, 'trigger.event'],
        [
          { effects: 'none', trigger: { event: 'a', payload: { a: 'x'.repeat(300_000) } } },
          'trigger.payload must have at most',
        ],
        [{ effects: 'none', workflow: { steps: [] } }, 'workflow.steps'],
        [{ effects: 'none', workflow: { steps: [{ ...call('none'), id: 'x' }] } }, 'workflow.steps.0.method'],
      ];
      for (const [body, message] of wrong) {
        const answer = await test<ErrorBody>(task, body);
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
      }
      expect((await test(task, { effects: 'none' }, calls.by(app.member))).status).toBe(403);
    },
  );
});
