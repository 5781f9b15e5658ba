import { randomUUID } from 'node:crypto';
import type { KnowledgeEvidence } from '@platform/contracts';
import { IdentityService } from '../src/auth/people/identity.service.ts';
import type { UserPrincipal } from '../src/auth/principals/principal.ts';
import {
  ExecutionsService,
  type ExecutionResult,
  type InternalExecution,
} from '../src/turns/lifecycle/executions.service.ts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { framesIn } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let model: ScriptedModel;
let agent: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  agent = await AgentCalls.make(app, { baseUrl: model.url });
});
afterAll(async () => {
  await app.close();
  await model.close();
});

describe('what is asked for and cannot be searched', () => {
  const WEB = 'Web search is not configured here, so the internet was not searched';
  const evidenceIn = (text: string) =>
    framesIn(text)
      .filter(({ params }) => params.data.event === 'knowledge-evidence')
      .map(({ params: { data } }) => [data.notice, data.query, data.documents]);

  verifies('execute.evidence', 'is reported as evidence without documents, streamed or not', async () => {
    const query = model.prompt();
    const inputs = { query, context: true, internet: true };
    const told = [
      [undefined, query, []],
      [WEB, query, []],
    ];
    const streamed = await agent.request('POST', '/execute', {
      body: { inputs, stream: true },
      headers: STREAMED,
    });
    expect(evidenceIn(streamed.text)).toEqual(told);
    const answered = await agent.request('POST', '/execute', { body: { inputs } });
    expect(Object.keys(answered.body).sort()).toEqual([
      'agent_id',
      'answer',
      'execution_time',
      'token_usage',
    ]);
    const stored = await agent.attach(answered.headers.get('X-Turn-Id') ?? '');
    expect(evidenceIn((await stored.rest()).bytes)).toEqual(told);
  });

  verifies(
    'execute.evidence',
    'is kept with the turn, and nothing is told where nothing is asked',
    async () => {
      const inputs = { query: model.prompt(), internet: true, memory: true };
      const { headers } = await agent.request('POST', '/execute', { body: { inputs } });
      const [turn] = await app.sql<{ settings: object }>(
        'select settings from turn where client_turn_id = $1',
        [headers.get('X-Turn-Id')],
      );
      expect(turn?.settings).toMatchObject({ knowledge: false, internet: true, memory: true });
      const { body } = await agent.json({
        contents: said(model.prompt()),
        settings: { disable_web_search: true },
      });
      expect(body.knowledgeEvidence).toEqual([]);
    },
  );

  verifies('execute.evidence', 'is reported in the chat of an agent that uses knowledge', async () => {
    const knowing = await AgentCalls.make(app, { baseUrl: model.url }, { knowledge: { enabled: true } });
    const prompt = model.prompt();
    const { body } = await knowing.json({ contents: said(prompt) });
    const evidence: KnowledgeEvidence = { query: prompt, documents: [], retrievalMs: expect.any(Number) };
    expect(body.knowledgeEvidence).toEqual([evidence]);
  });
});

describe('an execution without a request', () => {
  const principal = async (user: TestUser = app.member): Promise<UserPrincipal> => {
    const found = await app.get(IdentityService).findPrincipal(user.spaceId, user.userId);
    if (found === null) throw new Error('No member');
    return found;
  };
  const run = (execution: Partial<InternalExecution> & Pick<InternalExecution, 'caller'>) =>
    app.get(ExecutionsService).run({
      agentId: agent.agentId,
      inputs: { query: 'x' },
      source: 'task',
      signal: new AbortController().signal,
      ...execution,
    }) as Promise<ExecutionResult>;

  verifies(
    'execute.internal',
    'runs as its caller, with its cause and its source in the ledger',
    async () => {
      const causationRunId = randomUUID();
      const caller = { ...(await principal()), causationRunId };
      const result = await run({ caller, inputs: { query: model.prompt() } });
      expect(result).toMatchObject({
        answer: 'Hello world!',
        token_usage: { total_tokens: expect.any(Number) },
        execution_time: expect.any(Number),
      });
      const [turn] = await app.sql(
        'select user_id, source, causation_run_id, status from turn where client_turn_id = $1',
        [result.turnId],
      );
      expect(turn).toEqual({
        user_id: app.member.userId,
        source: 'task',
        causation_run_id: causationRunId,
        status: 'COMPLETED',
      });
      const entries = await app.sql(
        'select source, user_id, causation_run_id from usage_entry where turn_id = $1',
        [result.turnId],
      );
      expect(entries).toEqual([
        { source: 'task', user_id: app.member.userId, causation_run_id: causationRunId },
      ]);
    },
  );

  verifies('execute.internal', 'follows the rule of the agent, and checks its inputs', async () => {
    const closed = await AgentCalls.make(app, null, { accessScope: 'RESTRICTED', allowedUserIds: [] });
    const caller = await principal();
    await expect(run({ caller, agentId: closed.agentId })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(run({ caller, agentId: randomUUID() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(run({ caller, inputs: { query: 1 } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const stranger = await principal(app.outsider);
    await expect(run({ caller: stranger })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const failing = model.prompt({ kind: 'status', status: 400 });
    await expect(run({ caller, inputs: { query: failing } })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  verifies('execute.internal', 'is cancelled by its signal', async () => {
    const { opened, open } = gate();
    const query = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
    const stopping = new AbortController();
    const running = run({ caller: await principal(), inputs: { query }, signal: stopping.signal });
    const failed = expect(running).rejects.toThrow('Enough');
    await eventually(async () => expect(model.requests(query)).toHaveLength(1));
    stopping.abort(new Error('Enough'));
    await failed;
    open();
    const [turn] = await app.sql('select status from turn order by id desc limit 1');
    expect(turn).toEqual({ status: 'CANCELLED' });
    await expect(run({ caller: await principal(), signal: stopping.signal })).rejects.toThrow('Enough');
  });
});
