import type { Interaction, Job } from '@platform/contracts';
import { TURN_ID } from '../test/fixtures.ts';
import { cutsAtOnce, failureOf, inTurn, refuses, StreamHarness } from '../test/stream-harness.ts';
import { answer } from '../test/test-server.ts';
import type { Handler } from '../test/test-server.ts';
import { AgentJobError, PlatformError } from './errors.ts';

let harness: StreamHarness;

beforeEach(async () => {
  harness = new StreamHarness();
  await harness.server.start();
});
afterEach(() => harness.server.stop());

const REQUEST = { contents: [{ type: 'text' as const, text: 'Long work' }], session_id: 's-1' };
const QUEUED: Job = {
  id: 'j-1',
  type: 'AGENT_INVOKE',
  agentId: 'a-1',
  status: 'QUEUED',
  phase: 'queued',
  progress: 0,
  sessionId: 's-1',
  turnId: TURN_ID,
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: null,
  finishedAt: null,
};
const thinking: Partial<Job> = { status: 'RUNNING', phase: 'thinking', progress: 20 };
const waiting: Partial<Job> = { status: 'INPUT_REQUIRED', phase: 'waiting-for-input', progress: 50 };
const done: Partial<Job> = { status: 'COMPLETED', phase: 'finished', progress: 100 };

const tells =
  (fields: Partial<Job> = {}): Handler =>
  (_, response) =>
    answer(response, fields.status === undefined ? 202 : 200, { ...QUEUED, ...fields });

const invoke = (options = {}) => harness.client().agents.invokeAsync('a-1', REQUEST, options);

describe('invokeAsync', () => {
  it('creates a job, reports its progress, and returns it', async () => {
    harness.server.handle = inTurn(tells(), tells(thinking), tells(thinking), tells(done));
    const progress: unknown[] = [];
    const job = await invoke({
      timeoutMs: 5_000,
      idempotencyKey: 'key-1',
      onProgress: (each: unknown) => progress.push(each),
    });
    expect(job).toEqual({ ...QUEUED, ...done });
    expect(progress).toEqual([
      { status: 'QUEUED', phase: 'queued', progress: 0 },
      { status: 'RUNNING', phase: 'thinking', progress: 20 },
      { status: 'COMPLETED', phase: 'finished', progress: 100 },
    ]);
    expect(harness.seen()).toEqual([
      'POST /api/agent-jobs',
      ...Array<string>(3).fill('GET /api/agent-jobs/j-1?waitMs=20000'),
    ]);
    expect(harness.server.seen[0]?.body).toEqual({
      ...REQUEST,
      agentId: 'a-1',
      timeoutMs: 5_000,
      idempotencyKey: 'key-1',
    });
    expect(harness.timer.running).toBe(0);
  });

  it('waits for a new version, starting with that of the first response', async () => {
    const versioned =
      (version: string, fields: Partial<Job> = {}): Handler =>
      (_, response) => {
        response.setHeader('ETag', version);
        answer(response, 200, { ...QUEUED, ...fields });
      };
    const unchanged: Handler = (_, response) => void response.writeHead(304, { ETag: '"2"' }).end();
    harness.server.handle = inTurn(
      versioned('"1"'),
      versioned('"2"', thinking),
      unchanged,
      versioned('"3"', done),
    );
    const progress: string[] = [];
    const job = await invoke({ onProgress: ({ status }: { status: string }) => progress.push(status) });
    expect(job.status).toBe('COMPLETED');
    expect(progress).toEqual(['QUEUED', 'RUNNING', 'COMPLETED']);
    expect(harness.server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      '"1"',
      '"2"',
      '"2"',
    ]);
  });

  it('repeats a request without a response, with the same key', async () => {
    harness.server.handle = inTurn(cutsAtOnce, tells(done));
    await invoke();
    const [first, second] = harness.server.seen.map(({ body }) => body as { idempotencyKey: string });
    expect(first).toEqual(second);
    expect(first?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['FAILED', 'CANCELLED', 'TIMED_OUT'] as const)(
    'throws what a job says that is %s',
    async (status) => {
      const error = { code: 'UNAVAILABLE', message: 'No model' };
      harness.server.handle = inTurn(tells(), tells({ status, error }));
      const thrown = await failureOf(invoke());
      expect(thrown).toBeInstanceOf(AgentJobError);
      expect(thrown).toMatchObject({ ...error, status, jobId: 'j-1', turnId: TURN_ID, job: { id: 'j-1' } });
    },
  );

  it('has a message for a job without an error', async () => {
    harness.server.handle = tells({ status: 'CANCELLED' });
    expect(await failureOf(invoke())).toMatchObject({
      code: 'CANCELLED',
      message: 'The job ended as CANCELLED',
    });
  });

  it('reports each question once and keeps waiting', async () => {
    const question = (interactionId: string, turnId = TURN_ID) => ({ interactionId, turnId });
    const pending =
      (...items: object[]): Handler =>
      (_, response) =>
        answer(response, 200, { items });
    const other = question('i-9', 'another turn');
    harness.server.handle = inTurn(
      tells(),
      tells(waiting),
      pending(other, question('i-1')),
      tells(waiting),
      pending(other, question('i-1')),
      tells(waiting),
      pending(question('i-2')),
      tells(done),
    );
    const asked: unknown[] = [];
    const job = await invoke({
      onInputRequired: ({ interactionId }: Interaction, { status }: Job) =>
        asked.push([interactionId, status]),
    });
    expect(job.status).toBe('COMPLETED');
    expect(asked).toEqual([
      ['i-1', 'INPUT_REQUIRED'],
      ['i-2', 'INPUT_REQUIRED'],
    ]);
    expect(harness.seen()[2]).toBe('GET /api/agents/a-1/sessions/s-1/interactions/pending');
  });

  it('does not load questions if there is no listener', async () => {
    harness.server.handle = inTurn(tells(), tells(waiting), tells(waiting), tells(done));
    expect((await invoke()).status).toBe('COMPLETED');
  });

  it('stops waiting when the signal is aborted, and cancels nothing', async () => {
    const leaving = new AbortController();
    harness.server.handle = inTurn(tells(), () => leaving.abort(new Error('Enough')));
    await expect(invoke({ signal: leaving.signal })).rejects.toThrow('Enough');
    expect(harness.seen()).toEqual(['POST /api/agent-jobs', 'GET /api/agent-jobs/j-1?waitMs=20000']);
    expect(harness.timer.running).toBe(0);
  });

  it('waits for a service that is temporarily unavailable', async () => {
    harness.server.handle = inTurn(
      tells(),
      ...Array<Handler>(4).fill(refuses(503, 'UNAVAILABLE')),
      cutsAtOnce,
      refuses(502, 'TOOL_ERROR'),
      tells(done),
    );
    expect((await invoke()).status).toBe('COMPLETED');
  });

  it('throws the error of the service', async () => {
    harness.server.handle = refuses(403, 'FORBIDDEN', { 'X-Request-Id': 'req-5' });
    const error = await failureOf(invoke());
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ status: 403, code: 'FORBIDDEN', requestId: 'req-5' });
    expect(harness.server.seen).toHaveLength(1);
  });

  it('passes pollMs to the service', async () => {
    harness.server.handle = inTurn(tells(), tells(done));
    await invoke({ pollMs: 0 });
    expect(harness.seen()[1]).toBe('GET /api/agent-jobs/j-1?waitMs=0');
  });
});
