import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { JobClaimsService } from '../src/jobs/queue/job-claims.service.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { JobCalls } from './harness/job-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

/** Long enough for a busy process to renew its leases in time. */
const LEASE_MS = 6_000;

let app: TestApp;
let model: ScriptedModel;
let calls: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start({ env: { PLATFORM_STREAM_LEASE_MS: String(LEASE_MS) } });
  calls = await AgentCalls.make(app, { baseUrl: model.url, apiKey: 'k' });
});
afterAll(async () => {
  await app.close();
  await model.close();
});

/** A turn that has said `One` and waits to be let go. */
async function running() {
  const { opened, open } = gate();
  const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
  const turnId = randomUUID();
  const stream = await calls.open({ contents: said(prompt), turnId });
  await stream.untilSaid('One');
  const [{ id }] = (await app.sql<{ id: string }>(
    `select g.stream_id as id from turn_segment g join turn t on t.id = g.turn_id where client_turn_id = $1`,
    [turnId],
  )) as [{ id: string }];
  return { turnId, stream, streamId: id, letGo: open };
}

/** As if the process that writes the stream had died a while ago. */
const orphan = (streamId: string, change = '') =>
  app.sql(
    `update stream set fencing_token = gen_random_uuid(), lease_until = clock_timestamp() ${change} where id = $1`,
    [streamId],
  );

describe('leases', () => {
  verifies(
    'turn.crash',
    'are renewed while another stream is locked by the transaction that ends it',
    async () => {
      const locked = await running();
      const other = await running();
      const leaseOf = async () => {
        const [row] = await app.sql<{ at: Date }>('select lease_until as at from stream where id = $1', [
          other.streamId,
        ]);
        return row?.at.getTime() ?? 0;
      };
      await app.get(DataSource).transaction(async (tx) => {
        await tx.query('select from stream where id = $1 for update', [locked.streamId]);
        const before = await leaseOf();
        await eventually(async () => expect(await leaseOf()).toBeGreaterThan(before + LEASE_MS / 4));
      });
      for (const { letGo, stream } of [locked, other]) {
        letGo();
        expect(textOf((await stream.rest()).frames)).toBe('One two');
      }
    },
  );
});

describe('the turns of a process that died', () => {
  verifies('turn.crash', 'end as FAILED, even if the key of their model cannot be decrypted', async () => {
    const { turnId, stream, streamId } = await running();
    await app.sql(`update model set api_key = 'broken', updated_at = clock_timestamp()`);
    await orphan(streamId);
    const { frames } = await stream.rest();
    expect(eventData(frames, 'error-occurred')).toMatchObject({ code: 'INTERRUPTED', retryable: true });
    expect(await calls.turn(turnId)).toMatchObject({ status: 'FAILED', error: { code: 'INTERRUPTED' } });
    calls = await AgentCalls.make(app, { baseUrl: model.url });
  });

  verifies('turn.abort', 'end as CANCELLED if a cancel was requested, with their text', async () => {
    const { turnId, stream, streamId } = await running();
    await orphan(streamId, ', cancel_requested_at = clock_timestamp()');
    const { frames } = await stream.rest();
    expect(eventData(frames, 'response-completed')).toMatchObject({ turnId, finishReason: 'cancelled' });
    expect(textOf(frames)).toBe('One');
    expect(await calls.turn(turnId)).toMatchObject({ status: 'CANCELLED', error: null });
  });

  verifies(
    'turn.abort',
    'tell what they used: the calls that ended, and the one that was cut off',
    async () => {
      const priced = await AgentCalls.make(app, {
        baseUrl: model.url,
        price: { inputPerMillion: 1_000, outputPerMillion: 2_000 },
      });
      const { opened } = gate();
      const prompt = model.prompt(
        { toolCalls: [{ id: 'call_1', name: 'weather__now', arguments: '{}' }] },
        { text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } },
      );
      const turnId = randomUUID();
      const session_id = randomUUID();
      const stream = await priced.open({ contents: said(prompt), turnId, session_id });
      await stream.untilSaid('One');
      const [row] = await app.sql<{ id: string }>(
        `select g.stream_id as id from turn_segment g join turn t on t.id = g.turn_id where client_turn_id = $1`,
        [turnId],
      );
      await orphan(row?.id ?? '', ', cancel_requested_at = clock_timestamp()');
      const { frames } = await stream.rest();
      const completed = eventData(frames, 'response-completed');
      const turn = await priced.turn(turnId);
      expect(completed).toMatchObject({ finishReason: 'cancelled', token_usage: turn.token_usage });
      expect(turn.token_usage).toMatchObject({ estimated: true, total_tokens: completed.tokens_used });
      // The first call: 10 tokens in and 1 out; the second is counted here.
      expect(turn.token_usage.prompt_tokens).toBeGreaterThan(10);
      expect(turn.token_usage.completion_tokens).toBeGreaterThan(1);
      const [ledger] = await app.sql<{ tokens: number; cost: number }>(
        `select sum(prompt_tokens + completion_tokens)::int as tokens, sum(cost)::float8 as cost
       from usage_entry where turn_id = $1`,
        [turnId],
      );
      expect(ledger?.tokens).toBe(completed.tokens_used);
      expect(ledger?.cost).toBeCloseTo(turn.token_usage.cost, 9);
      const [answer] = await priced.messages(session_id);
      expect(completed.messageId).toBe(answer?.id);
      expect(completed.execution_time).toBe(turn.execution_time);
      expect(completed.execution_time).toBeGreaterThan(0);
    },
  );
});

describe('the call that a process was making when it died', () => {
  const streamOf = async (turnId: string) => {
    const [row] = await app.sql<{ id: string }>(
      `select g.stream_id as id from turn_segment g join turn t on t.id = g.turn_id where client_turn_id = $1`,
      [turnId],
    );
    return row?.id ?? '';
  };
  const chargesOf = (turnId: string) =>
    app.sql<{ completion: number; estimated: boolean }>(
      `select completion_tokens as completion, estimated from usage_entry where turn_id = $1 order by created_at`,
      [turnId],
    );
  const call = { id: 'call_1', name: 'gps', arguments: '{}' };

  verifies('turn.crash', 'is charged for reasoning without any text', async () => {
    const { opened } = gate();
    const reasoning = ['First, what is asked?', ' Then, what is known?'];
    const prompt = model.prompt({ reasoning, text: ['One'], pauseAfter: { chunks: 3, until: opened } });
    const turnId = randomUUID();
    const stream = await calls.open({ contents: said(prompt), turnId });
    const streamId = await streamOf(turnId);
    await eventually(async () =>
      expect(
        await app.sql(
          `select from stream_frame where stream_id = $1 and position('what is known'::bytea in data) > 0`,
          [streamId],
        ),
      ).toHaveLength(1),
    );
    await orphan(streamId);
    await stream.rest();
    expect(await chargesOf(turnId)).toEqual([{ completion: expect.any(Number), estimated: true }]);
    expect((await calls.turn(turnId)).token_usage.completion_tokens).toBeGreaterThan(5);
  });

  verifies('turn.crash', 'is charged although it says what the call before has said', async () => {
    const { opened } = gate();
    const prompt = model.prompt(
      { text: ['One'], toolCalls: [call] },
      { text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } },
    );
    const turnId = randomUUID();
    const stream = await calls.open({ contents: said(prompt), turnId });
    await stream.untilSaid('OneOne');
    await orphan(await streamOf(turnId));
    await stream.rest();
    expect(await chargesOf(turnId)).toMatchObject([{ estimated: false }, { estimated: true }]);
  });

  verifies('turn.crash', 'is charged for the conversation that the model has read', async () => {
    const session_id = randomUUID();
    const used = { prompt_tokens: 5_000, completion_tokens: 30, total_tokens: 5_030 };
    await calls.json({ contents: said(model.prompt({ text: ['One'], usage: used })), session_id });
    const { opened } = gate();
    const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
    const turnId = randomUUID();
    const stream = await calls.open({ contents: said(prompt), turnId, session_id });
    await stream.untilSaid('One');
    await orphan(await streamOf(turnId));
    await stream.rest();
    const { prompt_tokens } = (await calls.turn(turnId)).token_usage;
    expect(prompt_tokens).toBeGreaterThan(5_030);
    expect(prompt_tokens).toBeLessThan(5_100);
  });

  verifies('turn.crash', 'is charged with the figures of the model if it had ended', async () => {
    const used = { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 };
    const prompt = model.prompt({ text: ['One'], usage: used });
    const turnId = randomUUID();
    armFailpoints(['turns.close']);
    try {
      const stream = await calls.open({ contents: said(prompt), turnId });
      await stream.until('turn-persist-pending');
      await orphan(await streamOf(turnId));
      await stream.rest();
    } finally {
      disarmFailpoints();
    }
    const { token_usage: total } = await calls.turn(turnId);
    expect(total).toMatchObject({ prompt_tokens: 70, completion_tokens: 30 });
    expect(await chargesOf(turnId)).toMatchObject([{ completion: 30 }]);
  });

  verifies('turn.crash', 'is charged once if its last frames were not stored', async () => {
    const local = await AgentCalls.make(
      app,
      { baseUrl: model.url },
      { localTools: [{ name: 'gps', description: 'Where', inputSchema: { type: 'object' } }] },
    );
    const { opened, open } = gate();
    const prompt = model.prompt({
      text: ['One', ' two'],
      toolCalls: [call],
      pauseAfter: { chunks: 2, until: opened },
    });
    const turnId = randomUUID();
    const stream = await local.open({ contents: said(prompt), turnId, registeredLocalTools: ['gps'] });
    await stream.untilSaid('One');
    open();
    await stream.until('local-tool-call');
    const streamId = await streamOf(turnId);
    await app.sql(
      `with lost as (
         delete from stream_frame where stream_id = $1 and from_seq > (
           select from_seq from stream_frame where stream_id = $1 and position('"One"'::bytea in data) > 0)
       )
       update stream set fencing_token = gen_random_uuid(), lease_until = clock_timestamp() where id = $1`,
      [streamId],
    );
    await eventually(async () => expect(await local.turn(turnId)).toMatchObject({ status: 'FAILED' }));
    await stream.leave();
    expect(await chargesOf(turnId)).toMatchObject([{ estimated: false }]);
    expect((await local.turn(turnId)).token_usage).not.toHaveProperty('estimated');
  });
});

describe('a job whose turn was interrupted, and is to be claimed again', () => {
  /** Such a job, before it is claimed; `claimNow` lets that happen. */
  async function interrupted() {
    const jobs = new JobCalls(app);
    const { opened, open } = gate();
    const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
    const job = await jobs.start({ agentId: calls.agentId, contents: said(prompt) });
    const streamOf = `select g.stream_id as id from turn_segment g join agent_job j on j.turn_id = g.turn_id where j.id = $1`;
    const id = await eventually(async () => {
      const [stream] = await app.sql<{ id: string }>(streamOf, [job.id]);
      if (stream === undefined) throw new Error('The job has not begun');
      return stream.id;
    });
    const claim = jest.spyOn(app.get(JobClaimsService), 'claim').mockResolvedValue('later');
    await orphan(id);
    await eventually(async () =>
      expect(await calls.turn(job.turnId)).toMatchObject({ error: { code: 'INTERRUPTED' } }),
    );
    await eventually(() => {
      expect(claim).toHaveBeenCalled();
      return Promise.resolve();
    });
    const claimNow = async () => {
      claim.mockRestore();
      open();
      await app.sql(
        `update agent_job set starting_until = clock_timestamp() where id = $1 and queue_state = 'STARTING'`,
        [job.id],
      );
    };
    return { jobs, job, claimNow };
  }

  const ended = async (jobs: JobCalls, job: Job) => (await jobs.reached(job)).status;

  verifies('turn.abort', 'ends if its turn is cancelled', async () => {
    const { jobs, job, claimNow } = await interrupted();
    const { turnId, sessionId } = job;
    const cancelled = await calls.request('POST', `/turns/${turnId}/cancel`, { body: { sessionId } });
    expect(cancelled.body).toMatchObject({ status: 'failed' });
    await claimNow();
    expect(await ended(jobs, job)).toBe('CANCELLED');
    expect(await calls.turn(turnId)).toMatchObject({ status: 'FAILED' });
  });

  it('does not run in a session that was deleted meanwhile', async () => {
    const { jobs, job, claimNow } = await interrupted();
    expect((await calls.request('DELETE', `/sessions/${job.sessionId}`)).status).toBe(204);
    await claimNow();
    expect(await ended(jobs, job)).toBe('FAILED');
  });
});
