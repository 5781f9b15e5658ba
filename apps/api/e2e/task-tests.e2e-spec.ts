import type { ErrorBody, Failures, Run, Step, TestTaskRequest, Tool } from '@platform/contracts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let server: ToolServer;
let calls: RunCalls;
let tool: Tool;

beforeAll(async () => {
  server = await ToolServer.start();
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` } });
  calls = new RunCalls(app);
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
