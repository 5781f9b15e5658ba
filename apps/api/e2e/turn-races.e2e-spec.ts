import { randomUUID } from 'node:crypto';
import { setImmediate as tick } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { WaitingTurnsWorker } from '../src/turns/interactions/waiting-turns.worker.ts';
import { TurnRunnerService } from '../src/turns/engine/turn-runner.service.ts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { DatabaseGate } from './harness/database-gate.ts';
import { eventData, readStream } from './harness/frames.ts';
import { gate as pause } from './harness/gate.ts';
import { JobCalls } from './harness/job-calls.ts';
import { LostResponses } from './harness/lost-responses.ts';
import { ScriptedModel } from './harness/scripted-model.ts';

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

let gate: DatabaseGate | null = null;
afterEach(async () => {
  disarmFailpoints();
  await gate?.open();
});

const QUESTION = {
  toolCalls: [
    { id: 'q', name: 'ask_user', arguments: '{"question":"Which?","options":[{"label":"a"},{"label":"b"}]}' },
  ],
};

const cancel = async (turnId: string, sessionId: string) =>
  (await agent.request<{ status: string }>('POST', `/turns/${turnId}/cancel`, { body: { sessionId } })).body
    .status;

async function pendingOf(session: string): Promise<{ interactionId: string }[]> {
  const { body } = await agent.request<{ items: { interactionId: string }[] }>(
    'GET',
    `/sessions/${session}/interactions/pending`,
  );
  return body.items;
}

/** A turn that waits for the answer to a question. */
async function waiting(): Promise<{ turnId: string; session: string; interactionId: string }> {
  const [turnId, session] = [randomUUID(), randomUUID()];
  await agent.stream({ turnId, session_id: session, contents: said(model.prompt(QUESTION)) });
  const [question] = await pendingOf(session);
  if (question === undefined) throw new Error('No question waits');
  return { turnId, session, interactionId: question.interactionId };
}

const resume = (turnId: string, sessionId: string, interactionId: string) =>
  agent.request<{ message: string }>('POST', `/turns/${turnId}/resume`, {
    body: { sessionId, interactionId, selectedOptionIds: ['option_1'] },
    headers: STREAMED,
  });

describe('a start that meets a question', () => {
  it('dismisses what was asked while it waited for the session', async () => {
    const [turnId, session] = [randomUUID(), randomUUID()];
    gate = await DatabaseGate.close(app, 'update on turn', `new.status = 'INPUT_REQUIRED'`);
    const asking = agent.stream({ turnId, session_id: session, contents: said(model.prompt(QUESTION)) });
    await gate.reached();
    const next = agent.stream({ session_id: session, contents: said(model.prompt()) });
    await gate.blocksOthers();
    await gate.open();
    await asking;
    expect(eventData((await next).frames, 'response-completed')).toMatchObject({ finishReason: 'completed' });
    expect(await pendingOf(session)).toEqual([]);
    expect(await agent.turn(turnId)).toMatchObject({ status: 'CANCELLED', error: { code: 'DISMISSED' } });
  });

  it('does not deadlock with the response to that question', async () => {
    for (let round = 0; round < 10; round++) {
      const { turnId, session, interactionId } = await waiting();
      const [answered, next] = await Promise.all([
        resume(turnId, session, interactionId),
        agent.request('POST', '/chat', {
          body: { session_id: session, contents: said(model.prompt()) },
          headers: STREAMED,
        }),
      ]);
      expect([200, 409]).toContain(answered.status);
      expect([200, 409]).toContain(next.status);
      expect(await pendingOf(session)).toEqual([]);
    }
  });
});

describe('an answer that comes too late', () => {
  it('is a 409 before the sweep as well', async () => {
    const { turnId, session, interactionId } = await waiting();
    await app.sql('update interaction set expires_at = clock_timestamp() where id = $1', [interactionId]);
    const { status, body } = await resume(turnId, session, interactionId);
    expect([status, body.message]).toEqual([409, expect.stringContaining('expired')]);
    expect(await pendingOf(session)).toEqual([]);
    expect((await agent.turn(turnId)).status).toBe('INPUT_REQUIRED');
  });

  it('does not keep other questions from expiring if its turn cannot be ended', async () => {
    const asked = [await waiting(), await waiting(), await waiting()];
    const [first] = asked;
    await app.sql(
      `update interaction set expires_at = created_at - interval '1 hour'
       where id = any($1::uuid[])`,
      [asked.map(({ interactionId }) => interactionId)],
    );
    await app.sql(`create function refuse() returns trigger language plpgsql as
      'begin raise exception ''not this one''; end'`);
    await app.sql(`create trigger refuse before update on turn for each row
      when (new.client_turn_id = '${first?.turnId ?? ''}') execute function refuse()`);
    try {
      await app.get(WaitingTurnsWorker).expire();
    } finally {
      await app.sql('drop trigger refuse on turn');
    }
    const statuses = await Promise.all(asked.map(async ({ turnId }) => (await agent.turn(turnId)).status));
    expect(statuses).toEqual(['INPUT_REQUIRED', 'CANCELLED', 'CANCELLED']);
  });
});

describe('a cancel that meets the end of the turn', () => {
  it.each([
    ['completed', 'COMPLETED', { text: ['Hello'] }],
    ['cancelled', 'INPUT_REQUIRED', QUESTION],
    ['failed', 'FAILED', { kind: 'status' as const, status: 400, message: 'No' }],
  ])('tells how it ended: %s', async (told, ending, behavior) => {
    const [turnId, session] = [randomUUID(), randomUUID()];
    gate = await DatabaseGate.close(
      app,
      'update on turn',
      `new.client_turn_id = '${turnId}' and new.status = '${ending}'`,
    );
    const reading = agent.stream({ turnId, session_id: session, contents: said(model.prompt(behavior)) });
    await gate.reached();
    const cancelled = cancel(turnId, session);
    await Promise.race([cancelled, gate.blocksOthers()]);
    await gate.open();
    expect(await cancelled).toBe(told);
    await reading;
    expect((await agent.turn(turnId)).status).toBe(told.toUpperCase());
  });

  it('cancels if its end could not be stored yet', async () => {
    const [turnId, session] = [randomUUID(), randomUUID()];
    armFailpoints(['turns.close']);
    const live = await agent.open({ turnId, session_id: session, contents: said(model.prompt()) });
    await live.until('turn-persist-pending');
    expect(await cancel(turnId, session)).toBe('cancelling');
    disarmFailpoints();
    const { frames } = await live.rest();
    expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'cancelled' });
    expect((await agent.turn(turnId)).status).toBe('CANCELLED');
    expect((await agent.messages(session))[0]).toMatchObject({ contents: [{ text: 'Hello world!' }] });
  });

  it('reports that the turn of a question answered in the meantime is being canceled', async () => {
    const { turnId, session, interactionId } = await waiting();
    gate = await DatabaseGate.close(
      app,
      'update on turn',
      `new.client_turn_id = '${turnId}' and new.status = 'RUNNING'`,
    );
    const resumed = resume(turnId, session, interactionId);
    await gate.reached();
    const cancelled = cancel(turnId, session);
    await gate.blocksOthers();
    await gate.open();
    const told = await cancelled;
    await resumed;
    const { status } = await agent.turn(turnId);
    expect([told, status]).toEqual(
      told === 'cancelling' ? ['cancelling', 'CANCELLED'] : [told, told.toUpperCase()],
    );
  });
});

describe('a shutdown', () => {
  it('waits for a turn that is being claimed', async () => {
    const other = await TestApp.start({ database: app });
    const [turnId, session] = [randomUUID(), randomUUID()];
    gate = await DatabaseGate.close(app, 'insert on turn', `new.client_turn_id = '${turnId}'`);
    const start = agent.via(other).start({ turnId, session_id: session, contents: said(model.prompt()) });
    await gate.reached();
    let isOver = false;
    const shutdown = other
      .get(TurnRunnerService)
      .beforeApplicationShutdown()
      .then(() => (isOver = true));
    for (let i = 0; i < 20; i++) await tick();
    expect(isOver).toBe(false);
    await gate.open();
    await shutdown;
    expect((await agent.turn(turnId)).status).toBe('COMPLETED');
    const { frames } = await readStream(await start);
    expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'completed' });
    await other.close();
  });
});

describe('a cancel request that comes before its turn', () => {
  it('counts although the response to its statement is lost', async () => {
    const responses = new LostResponses(app.get(DataSource));
    try {
      const [turnId, session] = [randomUUID(), randomUUID()];
      await cancel(turnId, session);
      responses.next(/delete from cancel_request/);
      const { frames } = await agent.stream({ turnId, session_id: session, contents: said(model.prompt()) });
      expect(responses.lost).toBe(1);
      expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'cancelled' });
      expect(await app.sql('select from cancel_request where client_turn_id = $1', [turnId])).toEqual([]);
    } finally {
      responses.restore();
    }
  });

  it('ends a job that has to wait for its session, however long', async () => {
    const [turnId, session] = [randomUUID(), randomUUID()];
    const { opened, open } = pause();
    const held = { text: ['One', ' two'], pauseAfter: { chunks: 1, until: opened } };
    const ahead = await agent.open({ session_id: session, contents: said(model.prompt(held)) });
    try {
      await cancel(turnId, session);
      const jobs = new JobCalls(app);
      const { agentId } = agent;
      const job = await jobs.start({
        agentId,
        turnId,
        sessionId: session,
        contents: said(model.prompt()),
      });
      // Ten minutes go by.
      await app.sql('update cancel_request set expires_at = clock_timestamp() where client_turn_id = $1', [
        turnId,
      ]);
      open();
      expect((await jobs.reached(job)).status).toBe('CANCELLED');
    } finally {
      open();
      await ahead.rest();
    }
  });
});
