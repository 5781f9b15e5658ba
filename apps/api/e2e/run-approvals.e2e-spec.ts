import type { Question, Run, Step, ToolStep } from '@platform/contracts';
import { CallPause, type CallNeed } from '../src/tools/calls/call-pause.ts';
import type { BuiltinCall, BuiltinTool } from '../src/tools/platform/builtin-tool.ts';
import { builtinTools } from '../src/tools/platform/builtin-tools.ts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { answerInbox, ApprovalCalls, inboxOf } from './harness/approval-calls.ts';
import { eventually } from './harness/eventually.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let server: ToolServer;
let model: ScriptedModel;
let shop: ApprovalCalls;
let runs: RunCalls;

beforeAll(async () => {
  server = await ToolServer.start();
  model = await ScriptedModel.start();
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` } });
  shop = await ApprovalCalls.make(app, model, server);
  runs = new RunCalls(app);
});
afterAll(async () => {
  await app.close();
  await model.close();
  await server.stop();
});
beforeEach(async () => {
  server.respond(sendJson({ refunded: true }));
  await shop.setPolicy(null);
});

const refund = (more: Partial<ToolStep> = {}): Step => ({
  id: 'refund',
  kind: 'tool',
  toolId: shop.tool.id,
  method: 'refund',
  input: { amount: 40 },
  policy: { mode: 'ask' },
  ...more,
});
const after: Step = { id: 'after', kind: 'code', source: 'return context.steps.refund.output;' };

/** A run that waits for an approval, with its question. */
async function waiting(steps: Step[], calls = runs): Promise<{ run: Run; question: Question }> {
  const run = await calls.reached(await calls.start(await calls.createTask(steps)), 'WAITING');
  return { run, question: await questionOf(run) };
}

async function questionOf({ id }: Pick<Run, 'id'>): Promise<Question> {
  const found = (await inboxOf(app, app.admin)).find(({ runId }) => runId === id);
  if (found === undefined) throw new Error(`Run ${id} asks nothing`);
  return found;
}

const decide = ({ id }: Question, body: object, as = app.admin) => answerInbox(app, id, body, as);

describe('a step that needs an approval', () => {
  verifies('approval.runs', 'waits without a process, and makes the same call once', async () => {
    const { run, question } = await waiting([refund({ input: { amount: 40, pin: '4711-secret' } }), after]);
    expect(question).toMatchObject({
      purpose: 'approval',
      approval: true,
      scope: 'refund',
      recipients: 'owner',
      requester: { id: app.admin.userId },
      call: { method: 'refund', arguments: { amount: 40, pin: '[hidden]' }, rule: 'step' },
    });
    expect(shop.refunds).toEqual([]);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => decide(question, { approved: true, note: 'Fine' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const late = answers.filter(({ status }) => status === 409);
    expect(late).toHaveLength(49);
    expect(late[0]?.body.message).toContain('answered by');
    const done = await runs.reached(run);
    expect(done).toMatchObject({
      status: 'SUCCEEDED',
      steps: [
        { status: 'SUCCEEDED', output: { status: 200 } },
        { status: 'SUCCEEDED', output: { output: { refunded: true } } },
      ],
    });
    expect(shop.refunds).toEqual([{ amount: 40, pin: '4711-secret' }]);
    const entries = await app.sql<{ details: object }>(
      `select details from audit_entry where action = 'question.answer' and target_id = $1`,
      [question.id],
    );
    expect(entries).toMatchObject([{ details: { approved: true, method: 'refund', edited: false } }]);
  });

  verifies(
    'approval.runs',
    'can be approved with other arguments, or asks again if the method changed',
    async () => {
      const { run, question } = await waiting([refund({ input: { amount: 40, pin: '4711-secret' } })]);
      await app.request('PATCH', `/api/tools/${shop.tool.id}/methods/refund`, {
        as: app.admin,
        body: { timeoutMs: 25_000 },
      });
      await decide(question, { approved: true });
      const again = await eventually(async () => {
        const current = await questionOf(run);
        expect(current.id).not.toBe(question.id);
        return current;
      });
      expect(shop.refunds).toEqual([]);
      expect(again.call?.hash).not.toBe(question.call?.hash);
      await decide(again, { approved: true, arguments: { amount: 10, pin: '[hidden]' } });
      expect((await runs.reached(run)).status).toBe('SUCCEEDED');
      expect(shop.refunds).toEqual([{ amount: 10, pin: '4711-secret' }]);
    },
  );

  verifies('approval.runs', 'keeps what a person has changed if the method has changed since', async () => {
    const { run, question } = await waiting([refund({ input: { amount: 40, pin: '4711-secret' } })]);
    await app.request('PATCH', `/api/tools/${shop.tool.id}/methods/refund`, {
      as: app.admin,
      body: { timeoutMs: 26_000 },
    });
    await decide(question, { approved: true, arguments: { amount: 10, pin: '0815-secret' } });
    const again = await eventually(async () => {
      const current = await questionOf(run);
      expect(current.id).not.toBe(question.id);
      return current;
    });
    expect(again.call?.arguments).toEqual({ amount: 10, pin: '[hidden]' });
    await decide(again, { approved: true });
    expect((await runs.reached(run)).status).toBe('SUCCEEDED');
    expect(shop.refunds).toEqual([{ amount: 10, pin: '0815-secret' }]);
  });

  verifies('approval.rejected', 'fails with REJECTED, is not retried, and onError applies', async () => {
    const retry = { attempts: 3, backoffMs: 0 };
    const { run, question } = await waiting([refund({ retry }), after]);
    expect((await decide(question, { approved: false, note: 'Too much' })).status).toBe(200);
    const failed = await runs.reached(run);
    const error = { code: 'REJECTED', message: 'The call was rejected: Too much' };
    expect(failed).toMatchObject({ status: 'FAILED', error, steps: [{ status: 'FAILED', error }] });
    // A retry by hand asks again.
    await runs.retry(run);
    await runs.reached(run, 'WAITING');
    await decide(await questionOf(run), { approved: true });
    expect((await runs.reached(run)).status).toBe('SUCCEEDED');
    expect(shop.refunds).toHaveLength(1);

    const goes = await waiting([refund({ retry, onError: 'continue' }), after]);
    await decide(goes.question, { approved: false });
    expect(await runs.reached(goes.run)).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ status: 'FAILED' }, { output: { error: { code: 'REJECTED' } } }],
    });
    expect(shop.refunds).toHaveLength(1);
  });

  verifies('approval.runs', 'is approved for all attempts that the run makes by itself', async () => {
    server.respond(sendJson({ message: 'Busy' }, 503), sendJson({ refunded: true }));
    const { run, question } = await waiting([refund({ retry: { attempts: 2, backoffMs: 0 } })]);
    await decide(question, { approved: true });
    expect((await runs.reached(run)).status).toBe('SUCCEEDED');
    expect(shop.refunds).toHaveLength(2);
  });

  verifies('approval.unasked', 'is refused in code and in tests of a task, which ask nobody', async () => {
    await shop.setPolicy({ mode: 'ask' });
    const source = `return platform.tools.invoke('${shop.tool.id}', 'refund', { amount: 1 });`;
    const run = await runs.result([{ id: 'code', kind: 'code', source }]);
    expect(run).toMatchObject({ status: 'FAILED' });
    expect(run.error?.message).toContain('needs an approval, which cannot be asked for here');
    const task = await runs.createTask([refund()]);
    const test = await runs.request('POST', `/tasks/${task.id}/test`, { body: { effects: 'real' } });
    expect((await runs.reached(test.body)).error?.message).toContain('needs an approval');
    expect(shop.refunds).toEqual([]);
  });

  verifies('approval.approvers', 'asks others than the owner of the task, and once per run', async () => {
    const owner = runs.by(app.member);
    const each: Step = {
      id: 'all',
      kind: 'each',
      items: [1, 2, 3],
      steps: [refund({ policy: { mode: 'ask-once-per-session', approvers: 'others' } })],
    };
    const { run, question } = await waiting([each], owner);
    expect(question).toMatchObject({ recipients: 'admins', call: { once: true } });
    expect((await decide(question, { approved: true }, app.member)).status).toBe(403);
    await decide(question, { approved: true });
    expect((await owner.reached(run)).status).toBe('SUCCEEDED');
    expect(shop.refunds).toHaveLength(3);
    const refused = await runs.request('POST', '/tasks', {
      body: {
        name: 'T',
        type: 'MANUAL',
        workflow: { steps: [refund({ policy: { mode: 'sometimes' } as never })] },
      },
    });
    expect(refused.status).toBe(400);
  });

  verifies('approval.approvers', 'may be one of an agent, whose turn waits with the run', async () => {
    const calls = await shop.agent({ refund: { mode: 'ask', approvers: 'admins' } });
    const query = model.prompt(shop.calls(['refund', { amount: 9 }]));
    const step: Step = { id: 'agent', kind: 'agent', agentId: calls.agentId, inputs: { query } };
    const owner = runs.by(app.member);
    const { run, question } = await waiting([step], owner);
    expect(question).toMatchObject({
      purpose: 'approval',
      recipients: 'admins',
      agent: { id: calls.agentId },
      requester: { id: app.member.userId },
      call: { arguments: { amount: 9 } },
    });
    await decide(question, { approved: true, arguments: { amount: 8 } });
    expect((await owner.reached(run)).status).toBe('SUCCEEDED');
    expect(shop.refunds).toEqual([{ amount: 8 }]);

    const rejected = model.prompt(shop.calls(['refund', { amount: 9 }]));
    const other = await waiting([{ ...step, inputs: { query: rejected } }], owner);
    await decide(other.question, { approved: false, note: 'No money' });
    expect((await owner.reached(other.run)).status).toBe('SUCCEEDED');
    expect(shop.told(rejected)[0]).toContain('No money');
    expect(shop.refunds).toHaveLength(1);
  });

  verifies(
    'approval.rejected',
    'can be rejected in the turn of its agent, with the reason alone',
    async () => {
      const calls = await shop.agent({ refund: { mode: 'ask' } });
      const query = model.prompt(shop.calls(['refund', { amount: 9 }]));
      const { run } = await waiting([
        { id: 'agent', kind: 'agent', agentId: calls.agentId, inputs: { query } },
      ]);
      const [pending] = await app.sql<{ turnId: string; sessionId: string; interactionId: string }>(
        `select t.client_turn_id as "turnId", s.name as "sessionId", i.id as "interactionId"
       from turn t join session s on s.id = t.session_id join interaction i on i.turn_id = t.id
       where t.causation_run_id = $1`,
        [run.id],
      );
      if (pending === undefined) throw new Error('The agent asks nothing');
      const { turnId, ...asked } = pending;
      const body = { ...asked, selectedOptionIds: [], otherText: 'No money' };
      const answered = await calls.request('POST', `/turns/${turnId}/resume`, { body, headers: STREAMED });
      expect([answered.status, answered.text]).toEqual([200, expect.stringContaining('rejected the call')]);
      expect((await runs.reached(run)).status).toBe('SUCCEEDED');
      expect(shop.refunds).toEqual([]);
    },
  );
});

describe('a step whose call needs something else of a person', () => {
  const needs: BuiltinTool = {
    name: 'needy_step',
    description: 'Needs something of a person',
    kind: 'builtin',
    methods: [{ name: 'run', description: '', acts: true, inputSchema: {}, run: (_, call) => needy(call) }],
  };
  let needy: (call: BuiltinCall) => Promise<unknown>;
  const builtins = builtinTools as Map<string, BuiltinTool>;
  beforeAll(() => void builtins.set(needs.name, needs));
  afterAll(() => void builtins.delete(needs.name));
  const step: Step = { id: 'refund', kind: 'tool', toolId: 'needy_step', method: 'run', input: {} };

  verifies('call.needs', 'waits for the connection, or the values, of the owner of its task', async () => {
    const path = '/connections?tool=1';
    const form: CallNeed = {
      kind: 'FORM',
      message: 'How many?',
      fields: [{ key: 'count', label: 'Count', type: 'number', required: true }],
      state: 'opaque-2',
    };
    let isConnected = false;
    needy = ({ answer }) => {
      if (!isConnected)
        return Promise.reject(
          new CallPause({ kind: 'CONNECTION', message: 'Connect the shop', path, owner: 'me' }),
        );
      return answer === null ? Promise.reject(new CallPause(form)) : Promise.resolve(answer);
    };
    const { run, question } = await waiting([step, after]);
    expect(question).toMatchObject({ purpose: 'connection', path, message: 'Connect the shop' });
    isConnected = true;
    await decide(question, { approved: true });
    const asked = await eventually(async () => {
      const current = await questionOf(run);
      expect(current).toMatchObject({ purpose: 'form', fields: form.fields });
      return current;
    });
    expect(JSON.stringify(asked)).not.toContain('opaque-2');
    expect((await decide(asked, { approved: true })).status).toBe(400);
    await decide(asked, { approved: true, values: { count: 3 } });
    const output = { state: 'opaque-2', values: { count: 3 } };
    expect(await runs.reached(run)).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: { output } }, {}],
    });

    isConnected = false;
    const declined = await waiting([step]);
    await decide(declined.question, { approved: false });
    expect((await runs.reached(declined.run)).error).toMatchObject({ code: 'REJECTED' });
  });
});
