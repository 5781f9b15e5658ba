import { randomUUID } from 'node:crypto';
import type { CreateAgentRequest, Frame, Interaction } from '@platform/contracts';
import {
  AgentStreamError,
  AgentStreamFailedError,
  PlatformClient,
  PlatformError,
  type AgentStream,
  type JobProgress,
  type LocalTool,
  type PlatformClientOptions,
} from '@platform/client';
import { said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let client: PlatformClient;
let agentId: string;
let cuts = 0;

const agent = async (fields: Partial<CreateAgentRequest> = {}) => {
  const made = await app
    .client()
    .agents.create({ name: 'A', model: 'platform/offline', systemPrompt: 'Be brief.', ...fields });
  return made.id;
};

beforeAll(async () => {
  app = await TestApp.start();
  client = app.client(app.member);
  agentId = await agent();
});
afterAll(() => app.close());

/** A client whose connections are cut after so many bytes each; the last one may stay. */
function cutAfter(sizes: number[], options: Partial<PlatformClientOptions> = {}): PlatformClient {
  const left = [...sizes];
  const cutting: typeof fetch = async (input, init) => {
    const wire = new AbortController();
    const signal = AbortSignal.any([wire.signal, ...(init?.signal ? [init.signal] : [])]);
    const response = await fetch(input, { ...init, signal });
    const streams = response.headers.get('Content-Type') === 'text/event-stream';
    const size = streams ? left.shift() : undefined;
    if (response.body === null || size === undefined) return response;
    return new Response(response.body.pipeThrough(upTo(size, () => wire.abort())), response);
  };
  return new PlatformClient({
    baseUrl: app.url,
    apiKey: app.member.apiKey,
    fetch: cutting,
    streams: { reconnect: { baseDelayMs: 1, attempts: 20 } },
    ...options,
  });
}

function upTo(size: number, cut: () => void): TransformStream<Uint8Array, Uint8Array> {
  let passed = 0;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, size - passed));
      passed += chunk.length;
      if (passed < size) return;
      cuts++;
      cut();
      controller.error(new Error('Cut'));
    },
  });
}

async function framesOf(stream: AgentStream<string | null>): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of stream.frames()) frames.push(frame);
  return frames;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: unknown) => error,
  );
}

describe('talking to an agent', () => {
  verifies('client.chat', 'a stream, its outcome, and a JSON response', async () => {
    const request = { contents: said('Good morning'), session_id: `café ${randomUUID()}` };
    const stream = client.agents.chatStream(agentId, request);
    const names: string[] = [];
    let text = '';
    for await (const event of stream) {
      names.push(event.event);
      if (event.event === 'content.delta') text += event.delta;
    }
    expect(names[0]).toBe('session.started');
    expect(names).toContain('content.delta');
    expect(names.slice(-2)).toEqual(['response.completed', 'stream.ended']);
    expect(text).toContain('Good morning');
    expect(await stream.text()).toBe(text);
    expect([stream.sessionId, stream.segment, stream.interaction]).toEqual([request.session_id, 1, null]);
    expect(stream.requestId).toMatch(/.+/);
    const completed = await stream.finalResponse();
    expect(completed).toMatchObject({
      session_id: request.session_id,
      turnId: stream.turnId,
      finishReason: 'completed',
      tokens_used: completed.token_usage.total_tokens,
    });

    const answer = await client.agents.chat(agentId, { ...request, turnId: stream.turnId });
    expect(answer).toMatchObject({ status: 'completed', answer: text, turnId: stream.turnId });
    expect(answer.token_usage).toEqual(completed.token_usage);
  });

  verifies(
    'client.execute',
    'an execution as a JSON response, and as a stream that is interrupted',
    async () => {
      const templated = await agent({ systemPrompt: 'Speak about {{topic}}.' });
      // With a command: otherwise the model lists its tools, and only a stream can ask the user.
      const request = { inputs: { query: '/long 12', topic: 'rain' } };
      const answer = await client.agents.execute(templated, request);
      expect(Object.keys(answer).sort()).toEqual(['agent_id', 'answer', 'execution_time', 'token_usage']);
      expect(answer).toMatchObject({
        agent_id: templated,
        answer: expect.stringMatching(/^(word ?){12}$/) as string,
      });

      const stream = cutAfter([700, 300]).agents.executeStream(templated, request);
      expect(stream.turnId).toBeNull();
      expect(await stream.text()).toBe(answer.answer);
      const recorded = await framesOf(client.agents.attachTurn(templated, stream.turnId ?? ''));
      expect(recorded.at(-1)?.seq).toBe(stream.lastSeq);
    },
  );

  verifies('client.attachment', 'what was sent comes back as bytes', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const url = `data:image/png;base64,${png.toString('base64')}`;
    const { session_id } = await client.agents.chat(agentId, {
      contents: [...said('Look'), { type: 'image_url', image_url: { url } }],
    });
    const { items } = await client.agents.messages(agentId, session_id);
    const contents = items.flatMap((message) => message.contents);
    const image = contents.find((item) => item.type === 'image_url');
    const blob = await client.agents.attachment(agentId, session_id, image?.attachment?.id ?? '');
    expect(blob.type).toBe('image/png');
    expect(Buffer.from(await blob.arrayBuffer()).equals(png)).toBe(true);
    const other = app.client().agents.attachment(agentId, session_id, image?.attachment?.id ?? '');
    expect(await failureOf(other)).toMatchObject({ status: 404 });
  });
});

describe('questions and cancelling', () => {
  verifies(
    'client.resume',
    'question, pending list, response, the same response again, a different one',
    async () => {
      const { agents } = client;
      const asking = agents.chatStream(agentId, {
        contents: said('/ask Which colour? | red | blue | other'),
      });
      expect((await asking.finalResponse()).finishReason).toBe('input_required');
      const { turnId, interaction } = asking;
      const { sessionId, interactionId } = interaction as Interaction;
      expect(await agents.pendingInteractions(agentId, sessionId)).toEqual([interaction]);
      expect(await agents.pendingInteractions(agentId, 'no such session')).toEqual([]);

      const answer = { sessionId, interactionId, selectedOptionIds: ['option_2'], otherText: null };
      const resumed = cutAfter([500]).agents.resume(agentId, turnId, answer);
      const frames = await framesOf(resumed);
      expect([resumed.segment, resumed.sessionId, resumed.interaction]).toEqual([2, sessionId, null]);
      expect(await resumed.text()).toContain('blue');
      expect(await framesOf(agents.resume(agentId, turnId, answer))).toEqual(frames);
      expect(await agents.pendingInteractions(agentId, sessionId)).toEqual([]);

      const other = agents.resume(agentId, turnId, { ...answer, selectedOptionIds: ['option_1'] });
      expect(await failureOf(other.text())).toMatchObject({ status: 409, code: 'CONFLICT' });
    },
  );

  verifies('client.cancel', 'a running turn stops and keeps its text', async () => {
    const stream = client.agents.chatStream(agentId, { contents: said('/long 20\n/think 60000') });
    let status = '';
    for await (const event of stream) {
      if (event.event !== 'content.delta' || status !== '') continue;
      ({ status } = await client.agents.cancel(agentId, stream.turnId, {
        sessionId: stream.sessionId ?? '',
      }));
    }
    expect(['cancelling', 'cancelled']).toContain(status);
    expect((await stream.finalResponse()).finishReason).toBe('cancelled');
    expect((await client.agents.turn(agentId, stream.turnId)).status).toBe('CANCELLED');
    const again = client.agents.cancel(agentId, stream.turnId, { sessionId: stream.sessionId ?? '' });
    expect((await again).status).toBe('cancelled');
  });
});

describe('local tools', () => {
  let local: string;
  beforeAll(async () => {
    const inputSchema = { type: 'object' };
    local = await agent({
      localTools: ['gps', 'camera', 'door'].map((name) => ({ name, description: name, inputSchema })),
    });
  });

  /** The outcomes of the calls that a turn told of, by tool. */
  const outcomes = async (turnId: string, segment = 1) => {
    const outcomes: Record<string, unknown> = {};
    for await (const event of client.agents.attachTurn(local, turnId, { segment })) {
      if (event.event === 'tool.execution' && event.status !== 'started') {
        outcomes[event.tool] = [event.status, event.result ?? event.error?.message];
      }
    }
    return outcomes;
  };

  verifies('client.local-tools', 'allowed, denied and failing ones; each once, also when cut', async () => {
    const ran: string[] = [];
    const localTools: Record<string, LocalTool> = {
      gps: {
        authorize: ({ arguments: { precise } }) => precise === true,
        execute: (args) => {
          ran.push('gps');
          return { at: [52.5, 13.4], ...args };
        },
      },
      camera: {
        authorize: async () => ({ denied: true, reason: 'No pictures' }),
        execute: () => ran.push('camera'),
      },
      door: {
        authorize: () => true,
        execute: () => {
          ran.push('door');
          throw new Error('It is stuck');
        },
      },
    };
    const problems: unknown[] = [];
    const options = { localTools, onLocalToolError: (error: unknown) => problems.push(error) };
    const contents = said('/local gps {"precise":true}\n/local camera {}\n/local door {}');
    const turnId = randomUUID();
    const request = { contents, turnId };
    const frames = await framesOf(
      cutAfter([900, 200, 400, 10, 600]).agents.chatStream(local, request, options),
    );
    expect(ran.sort()).toEqual(['door', 'gps']);
    expect(await outcomes(turnId)).toEqual({
      gps: ['succeeded', { at: [52.5, 13.4], precise: true }],
      camera: ['denied', 'No pictures'],
      door: ['failed', 'It is stuck'],
    });

    // The recorded turn is shown to whoever sends or reads it again, and runs nothing.
    const again = client.agents.chatStream(local, { ...request, registeredLocalTools: [] }, options);
    expect(await framesOf(again)).toEqual(frames);
    expect(await framesOf(client.agents.attachTurn(local, turnId))).toEqual(frames);
    expect(ran).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  verifies(
    'client.local-tools',
    'a reader beside the starter runs nothing; the first result counts',
    async () => {
      const refused: unknown[] = [];
      const ran: string[] = [];
      const stream = client.agents.chatStream(
        local,
        { contents: said('/local gps {}') },
        {
          localTools: {
            gps: {
              authorize: () => true,
              execute: async (_, { callId }) => {
                ran.push(callId);
                await client.agents.answerLocalToolCall(local, stream.turnId, callId, { result: 'by hand' });
                return 'too late';
              },
            },
          },
          onLocalToolError: (error, { tool }) => refused.push([tool, (error as PlatformError).status]),
        },
      );
      for await (const { event } of stream) {
        if (event !== 'local.tool.call') continue;
        const beside = client.agents.attachTurn(local, stream.turnId);
        for await (const { event: seen } of beside) if (seen === 'local.tool.call') break;
      }
      await app.settle();
      expect(ran).toHaveLength(1);
      expect(await outcomes(stream.turnId)).toEqual({ gps: ['succeeded', 'by hand'] });
      expect(refused.length).toBeLessThanOrEqual(1);
      for (const each of refused) expect(each).toEqual(['gps', 409]);
    },
  );

  verifies('client.local-tools', 'a streamed execution runs them', async () => {
    const stream = client.agents.executeStream(
      local,
      { inputs: { query: '/local gps {}' } },
      { localTools: { gps: { authorize: () => true, execute: () => 'here' } } },
    );
    await stream.text();
    expect(await outcomes(stream.turnId ?? '')).toEqual({ gps: ['succeeded', 'here'] });
  });

  verifies('client.local-tools', 'a resumed stream runs them', async () => {
    const contents = said('/ask Go? | yes | no\n/local gps {}');
    const asking = client.agents.chatStream(local, { contents, registeredLocalTools: ['gps'] });
    await asking.text();
    const { turnId, sessionId, interactionId } = asking.interaction as Interaction;
    const answer = { sessionId, interactionId, selectedOptionIds: ['option_1'] };
    await client.agents
      .resume(local, turnId, answer, {
        localTools: { gps: { authorize: () => true, execute: () => 'here' } },
      })
      .text();
    expect(await outcomes(turnId, 2)).toMatchObject({ gps: ['succeeded', 'here'] });
  });
});

describe('jobs', () => {
  verifies('client.jobs', 'invokeAsync reports the progress and resolves with the result', async () => {
    const progress: JobProgress[] = [];
    const request = { contents: said('/think 2000\nThe long way') };
    const options = { idempotencyKey: randomUUID(), timeoutMs: 60_000 };
    const job = await client.agents.invokeAsync(agentId, request, {
      ...options,
      onProgress: (each) => progress.push(each),
    });
    expect(job).toMatchObject({ type: 'AGENT_INVOKE', agentId, status: 'COMPLETED', progress: 100 });
    expect(job.result).toMatchObject({ answer: expect.stringContaining('The long way') as string });
    // A quick worker may have begun before the first answer.
    expect(progress[0]?.progress).toBeLessThan(100);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)).toEqual({ status: 'COMPLETED', phase: 'finished', progress: 100 });
    const figures = progress.map((each) => each.progress);
    expect(figures).toEqual([...figures].sort((a, b) => a - b));

    expect((await client.agents.invokeAsync(agentId, request, options)).id).toBe(job.id);
    const stream = client.jobs.stream(job.id);
    expect(await stream.text()).toContain('The long way');
    expect([stream.turnId, stream.sessionId]).toEqual([job.turnId, job.sessionId]);
    const { items } = await client.jobs.list({ agentId, status: 'COMPLETED' });
    expect(items.map(({ id }) => id)).toContain(job.id);
  });

  verifies('client.jobs', 'a question is reported and answered, and the job continues', async () => {
    const asked: Promise<string>[] = [];
    const job = await client.agents.invokeAsync(
      agentId,
      { contents: said('/ask Which? | a | b') },
      {
        pollMs: 500,
        onInputRequired: ({ interactionId }, { turnId, sessionId }) => {
          const answer = { sessionId, interactionId, selectedOptionIds: ['option_2'] };
          asked.push(client.agents.resume(agentId, turnId, answer).text());
        },
      },
    );
    expect(asked).toHaveLength(1);
    expect(job.result).toMatchObject({ answer: await asked[0] });
  });

  verifies(
    'client.jobs',
    'giving up the waiting cancels nothing; cancelling and timing out are thrown',
    async () => {
      const left = new AbortController();
      const contents = said('/long 5\n/think 60000');
      const watched = client.agents.invokeAsync(
        agentId,
        { contents },
        {
          signal: left.signal,
          idempotencyKey: 'left',
          pollMs: 200,
          onProgress: ({ status }) => {
            if (status === 'RUNNING') left.abort(new Error('Enough'));
          },
        },
      );
      await expect(watched).rejects.toThrow('Enough');
      const [job] = (await client.jobs.list({ status: 'RUNNING' })).items;
      const jobId = job?.id ?? '';
      expect(await client.jobs.get(jobId)).toMatchObject({ status: 'RUNNING' });

      const again = client.agents.invokeAsync(agentId, { contents }, { idempotencyKey: 'left' });
      const waiting = failureOf(again);
      await client.jobs.cancel(jobId);
      expect(await waiting).toMatchObject({ name: 'AgentJobError', status: 'CANCELLED', jobId });

      const late = client.agents.invokeAsync(
        agentId,
        { contents: said('/think 60000') },
        { timeoutMs: 1_000 },
      );
      expect(await failureOf(late)).toMatchObject({ status: 'TIMED_OUT', code: 'TIMED_OUT' });
    },
  );
});

describe('the context of a session', () => {
  verifies('client.context', 'status, compaction and its undo', async () => {
    const { agents } = client;
    const { context } = agents;
    const session = randomUUID();
    for (const text of ['/long 300', '/long 300', 'And now?']) {
      await agents.chat(agentId, { contents: said(text), session_id: session });
    }
    const before = await context.status(agentId, session);
    expect(before).toMatchObject({ sessionId: session, compactionCount: 0, summaryStatus: 'none' });
    expect(before.usedTokens + before.remainingTokens).toBe(before.maxTokens);
    const tried = await context.compact(agentId, session, { dryRun: true });
    expect(tried).toMatchObject({ compacted: false, compactionCount: 0 });
    const compacted = await context.compact(agentId, session);
    expect(compacted).toMatchObject({ compacted: true, compactionCount: 1, summaryStatus: 'ready' });
    expect(compacted.tokensAfter).toBeLessThan(compacted.tokensBefore);
    expect(await context.undo(agentId, session)).toMatchObject({ compactionCount: 0 });
    expect(await failureOf(context.status(agentId, 'no such session'))).toMatchObject({ status: 404 });
  });
});

describe('people and keys', () => {
  verifies('client.people', 'an invitation by one admin, an addition by another', async () => {
    const host = await app.addUser('ADMIN', null);
    const hosts = app.client(host);
    expect(await hosts.members.add({ email: app.member.email, role: 'ADMIN' })).toEqual({
      status: 'invited',
    });
    const [pending] = (await hosts.invitations.list()).items;
    expect(pending).toMatchObject({ email: app.member.email, role: 'ADMIN', invitedBy: { id: host.userId } });
    await hosts.invitations.withdraw(pending?.id ?? '');
    await hosts.members.add({ email: app.member.email, role: 'MEMBER' });
    const [received] = (await client.auth.invitations()).items;
    const joined = await client.auth.acceptInvitation(received?.id ?? '');
    expect(joined).toMatchObject({ id: host.spaceId, role: 'MEMBER' });
    const again = client.auth.acceptInvitation(received?.id ?? '');
    await expect(again).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    await hosts.members.add({ email: app.outsider.email, role: 'MEMBER' });
    const [other] = (await app.client(app.outsider).auth.invitations()).items;
    await app.client(app.outsider).auth.declineInvitation(other?.id ?? '');
    expect((await hosts.invitations.list()).items).toEqual([]);

    const added = await app.client().members.add({ email: 'new@example.com', role: 'MEMBER' });
    if (!('user' in added)) throw new Error('An installation administrator adds at once');
    expect(added.temporaryPassword).toMatch(/^[\w-]{16}$/);
    const appointed = await app.client().members.update(added.user.id, { installationAdmin: true });
    expect(appointed).toMatchObject({ role: 'MEMBER', installationAdmin: true });
    await app.client().members.update(added.user.id, { installationAdmin: false });
  });

  verifies('client.people', 'a password that takes API keys with it', async () => {
    const user = await app.addUser('MEMBER');
    const own = app.client(user);
    const { id } = await own.apiKeys.create({ name: 'Leaked', scopes: ['invoke'] });
    expect((await own.auth.apiKeys()).items.map(({ name }) => name)).toEqual(['Leaked', 'test']);
    const { apiKeys } = await own.auth.changePassword({
      currentPassword: user.password,
      newPassword: 'a new password',
      revokeApiKeys: [id],
    });
    expect(apiKeys.items.map(({ name }) => name)).toEqual(['test']);
  });
});

describe('when things go wrong', () => {
  verifies('client.reattach', 'cut at any byte, the stream is what the service recorded', async () => {
    const random = seededRandom();
    const before = cuts;
    for (let round = 0; round < 10; round++) {
      const sizes = Array.from({ length: 8 }, () => random(1_000));
      const contents = said(`/long 60\n/think 50\nround ${round} 日本`);
      const stream = cutAfter(sizes).agents.chatStream(agentId, { contents });
      const frames = await framesOf(stream);
      expect(frames).toEqual(await framesOf(client.agents.attachTurn(agentId, stream.turnId)));
      expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, i) => i + 1));
    }
    expect(cuts - before).toBeGreaterThanOrEqual(20);
  });

  verifies('client.errors', 'refusals', async () => {
    const talk = (user: TestUser, id = agentId) =>
      app
        .client(user)
        .agents.chatStream(id, { contents: said('Hi') })
        .text();
    const restricted = await agent({ accessScope: 'RESTRICTED', allowedUserIds: [] });
    const nobody = { ...app.member, apiKey: 'pk_none' };
    const cases: [() => Promise<unknown>, number, string][] = [
      [() => talk(app.outsider), 403, 'FORBIDDEN'],
      [() => talk(app.member, restricted), 403, 'FORBIDDEN'],
      [() => talk(app.member, randomUUID()), 404, 'NOT_FOUND'],
      [() => talk(nobody), 401, 'UNAUTHORIZED'],
      [() => client.agents.chat(agentId, { contents: [] }), 400, 'VALIDATION_ERROR'],
      [() => client.agents.execute(agentId, { inputs: {} }), 400, 'VALIDATION_ERROR'],
      [() => client.agents.cancel(agentId, randomUUID(), { sessionId: 's' }), 404, 'NOT_FOUND'],
    ];
    for (const [call, status, code] of cases) {
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(PlatformError);
      expect(error).toMatchObject({ status, code });
      expect((error as PlatformError).requestId).toMatch(/.+/);
    }
  });

  verifies('client.errors', 'a turn that fails, as a stream and as a JSON response', async () => {
    const turnId = randomUUID();
    const failing = client.agents.chatStream(agentId, { contents: said('Half\n/fail'), turnId });
    const failure = await failureOf(failing.text());
    expect(failure).toBeInstanceOf(AgentStreamFailedError);
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', turnId, lastSeq: failing.lastSeq });
    expect((failure as AgentStreamFailedError).requestId).toBe(failing.requestId);

    const answer = await failureOf(
      client.agents.chat(agentId, { contents: said('/fail'), turnId: randomUUID() }),
    );
    expect(answer).toBeInstanceOf(PlatformError);
    expect(answer).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect((answer as PlatformError).turnId).toMatch(/^[0-9a-f-]{36}$/);
  });

  verifies('client.errors', 'a stream that cannot be recovered reports its last valid seq', async () => {
    const lost = cutAfter(Array<number>(3).fill(1_000), { streams: { reconnect: { attempts: 0 } } });
    const stream = lost.agents.chatStream(agentId, { contents: said('/long 50') });
    const error = await failureOf(stream.text());
    expect(error).toBeInstanceOf(AgentStreamError);
    expect(error).toMatchObject({ code: 'truncated', lastValidSeq: stream.lastSeq, turnId: stream.turnId });
    expect(stream.lastSeq).toBeGreaterThan(0);
  });
});
