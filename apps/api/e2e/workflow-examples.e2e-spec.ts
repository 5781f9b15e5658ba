import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type {
  CreateTaskRequest,
  Page,
  QuestionListing,
  Run,
  Task,
  Tool,
  Workflow,
} from '@platform/contracts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { AgentCalls } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const NO_ID = '00000000-0000-0000-0000-000000000000';
const NO_TOOL = '00000000-0000-0000-0000-000000000001';
const GUIDE = new URL('../../../docs/workflows.md', import.meta.url);

let app: TestApp;
let runs: RunCalls;
let shop: EmittingApp;
let agentId: string;
let server: ToolServer;
let toolId: string;

beforeAll(async () => {
  server = await ToolServer.start();
  app = await TestApp.start();
  runs = new RunCalls(app);
  const payloadSchema = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
  const payment = { name: 'payment.received', description: 'An order was paid.', payloadSchema };
  ({ agentId } = await AgentCalls.make(app));
  shop = await EmittingApp.install(app, { events: [payment] });
  const inputSchema = (...ports: string[]) => ({
    type: 'object',
    required: ports,
    properties: Object.fromEntries(ports.map((port) => [port, { type: 'string', isPort: true }])),
  });
  const createInvoice = {
    name: 'createInvoice',
    httpMethod: 'post',
    path: '/invoices',
    inputSchema: inputSchema('customer', 'order'),
    bindings: ['customer', 'order'].map((port) => ({ port, in: 'body', name: port })),
    bodyMediaType: 'application/json',
  };
  const deliver = {
    name: 'deliver',
    httpMethod: 'post',
    path: '/deliveries',
    inputSchema: inputSchema('body', 'signature'),
    bindings: [
      { port: 'body', in: 'body' },
      { port: 'signature', in: 'header', name: 'X-Signature' },
    ],
    bodyMediaType: 'text/plain',
  };
  const body = { name: 'office', serverUrl: server.url, methods: [createInvoice, deliver] };
  ({ id: toolId } = (await runs.request<Tool>('POST', '/tools', { body })).body);
});
afterAll(async () => {
  await app.close();
  await server.stop();
});

/** The blocks of JSON of each example, by its heading: its workflow, and what that needs. */
const examples = new Map(
  readFileSync(GUIDE, 'utf8')
    .split('\n## Examples\n')[1]
    ?.split('\n### ')
    .slice(1)
    .map((section): [string, string[]] => [
      section.split('\n')[0] ?? '',
      Array.from(section.matchAll(/```json\n(.*?)```/gs), ([, json = 'null']) => json),
    ]),
);

const last = ({ steps }: Run) => steps.at(-1)?.output;

const start = (task: Task, inputs: Record<string, unknown>) => runs.start(task, inputs);

/** Runs an example to its end, and returns what its last step returned. */
const resultOf = async (task: Task, inputs: Record<string, unknown>) =>
  last(await runs.reached(await start(task, inputs), 'SUCCEEDED'));

async function answer(run: Run, body: object): Promise<void> {
  await runs.reached(run, 'WAITING');
  const question = await eventually(async () => {
    const inbox = await runs.request<Page<QuestionListing>>('GET', '/inbox');
    const found = inbox.body.items.find(({ runId }) => runId === run.id);
    if (found === undefined) throw new Error('No question');
    return found;
  });
  const answered = await runs.request('POST', `/inbox/${question.id}/answer`, { body });
  expect([answered.status, answered.text]).toEqual([200, expect.any(String)]);
}

const scenarios: Record<string, (task: Task, example: Workflow) => Promise<void>> = {
  'Approval of orders above an amount': async (task) => {
    expect(await resultOf(task, { order: 'A-1', amount: 10 })).toBe('shipped');
    for (const approved of [true, false]) {
      const run = await start(task, { order: 'A-2', amount: 5_000 });
      await answer(run, { approved });
      const done = await runs.reached(run, 'SUCCEEDED');
      expect(done.steps.at(-1)).toMatchObject(
        approved ? { status: 'SUCCEEDED', output: 'shipped' } : { status: 'SKIPPED' },
      );
    }
  },
  'A report with retries': async (task) => {
    // Four executions in a row fail in one of 625 cases, which another attempt of the run continues.
    const run = await start(task, {});
    await eventually(async () => {
      const { status } = await runs.get(run);
      if (status === 'FAILED') await runs.retry(run);
      expect(status).toBe('SUCCEEDED');
    });
    expect(last(await runs.get(run))).toBe(16);
  },
  'One call per row, with a limit per customer': async (task) => {
    const open = new Map<string, number>();
    const most = new Map<string, number>();
    const responses: (() => void)[] = [];
    server.respond((response, request) => {
      const { customer } = JSON.parse(request.body.toString()) as { customer: string };
      open.set(customer, (open.get(customer) ?? 0) + 1);
      most.set(customer, Math.max(most.get(customer) ?? 0, open.get(customer) ?? 0));
      responses.push(() => {
        open.set(customer, (open.get(customer) ?? 0) - 1);
        sendJson({}, customer === 'bad' ? 400 : 200)(response, request);
      });
    });
    const orders = (customer: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ customer, order: `${customer}-${i}` }));
    const run = await start(task, {
      rows: [...orders('large', 5), ...orders('bad', 1), ...orders('small', 2)],
    });
    // Two of the large customer, one that is refused, and two of the small one, whatever the order of the rows.
    await eventually(async () => {
      expect(responses).toHaveLength(5);
      await Promise.resolve();
    });
    expect(Object.fromEntries(open)).toEqual({ large: 2, bad: 1, small: 2 });
    const ended = await eventually(async () => {
      for (const respond of responses.splice(0)) respond();
      const found = await runs.get(run);
      expect(found.status).toBe('SUCCEEDED');
      return found;
    });
    expect(last(ended)).toEqual({ failed: 1 });
    expect(most.get('large')).toBe(2);
  },
  'Wait for the payment, or cancel after three days': async (task) => {
    const [paid, late] = [await start(task, { order: 'A-1' }), await start(task, { order: 'A-2' })];
    for (const run of [paid, late]) await runs.reached(run, 'WAITING');
    const body = { appIdentifier: 'shop', event: 'payment.received', payload: { order: 'A-1' } };
    expect((await shop.post(body)).status).toBe(200);
    expect(last(await runs.reached(paid, 'SUCCEEDED'))).toBe('shipped');
    expect((await runs.get(late)).status).toBe('WAITING');
    await runs.endWaits(late);
    expect(last(await runs.reached(late, 'SUCCEEDED'))).toBe('canceled');
  },
  Escalation: async (task) => {
    const run = await runs.reached(await start(task, { case: 7 }), 'WAITING');
    await runs.endWaits(run);
    await eventually(async () => expect((await runs.get(run)).steps[1]?.status).toBe('WAITING'));
    await answer(run, { values: { name: 'Ada' } });
    expect(last(await runs.reached(run, 'SUCCEEDED'))).toBe('Ada');
  },
  'Fan out, and summarize': async (task) => {
    expect(await resultOf(task, { parts: [1, 2, 3] })).toBe(12);
  },
  'More than 1,000 rows': async (task) => {
    const rows = [1, 2, 3, 4, 5].map((amount) => ({ amount }));
    const run = await runs.reached(await start(task, { rows, size: 2 }), 'SUCCEEDED');
    expect(run.steps.map(({ scope }) => scope)).toEqual([
      'divide',
      'parts',
      ...[0, 1, 2].map((i) => `parts[${i}].part`),
      'sum',
    ]);
    expect(last(run)).toBe(30);
  },
  'A webhook, signed in code': async (task) => {
    server.respond(sendJson({}, 503), sendJson({}));
    const run = await runs.reached(await start(task, { order: 'A-1' }), 'SUCCEEDED');
    expect(run.steps.map(({ id }) => id)).toEqual(['sign', 'deliver']);
    expect(server.received).toHaveLength(2);
    for (const { body, headers } of server.received) {
      expect(body.toString()).toBe('{"order":"A-1"}');
      expect(headers['x-signature']).toBe(createHmac('sha256', 'shared secret').update(body).digest('hex'));
    }
  },
  'Import of a CSV': async (task) => {
    expect(await resultOf(task, { csv: 'order,amount\nA-1,5\nA-2,x\nA-3,7\n' })).toBe(2);
  },
  'A retry after a fix': async (task, { steps }) => {
    const failed = await runs.reached(await start(task, {}), 'FAILED');
    const [load, convert] = steps;
    const source = "return Number(context.steps.load.output.price.replace(',', '.'));";
    const body = { workflow: { steps: [load, { ...convert, source }] } };
    expect((await runs.request('PATCH', `/tasks/${task.id}`, { body })).status).toBe(200);
    await runs.retry(failed);
    const run = await runs.reached(failed, 'SUCCEEDED');
    expect(run.steps.map(({ output }) => output)).toEqual([{ price: '12,50' }, 12.5]);
  },
  'An agent that asks, and continues': async (task) => {
    const run = await start(task, { request: '/ask Which size? | small | large' });
    await answer(run, { values: { choice: 'large' } });
    expect(last(await runs.reached(run, 'SUCCEEDED'))).toContain('large');
  },
};

describe('the examples of the guide to workflows', () => {
  verifies('workflow.examples', 'have a scenario each', async () => {
    const titles = [...examples.keys()].sort();
    await expect(Promise.resolve(titles)).resolves.toEqual(Object.keys(scenarios).sort());
  });

  for (const [title, scenario] of Object.entries(scenarios))
    verifies('workflow.examples', title, async () => {
      const double = {
        id: 'double',
        kind: 'code',
        source: 'return context.execution.inputs.n * 2;',
      } as const;
      const fill = (json: string, taskId: string) =>
        JSON.parse(
          json
            .replaceAll(`"agentId": "${NO_ID}"`, `"agentId": "${agentId}"`)
            .replaceAll(NO_TOOL, toolId)
            .replaceAll(NO_ID, taskId),
        ) as Workflow & Partial<CreateTaskRequest>;
      const [json = '', called] = examples.get(title) ?? [];
      const other = called === undefined ? { workflow: { steps: [double] } } : fill(called, NO_ID);
      const { id } = await runs.createTask(other.workflow?.steps ?? [], other);
      const example = fill(json, id);
      await scenario(await runs.createTask(example.steps), example);
    });
});
