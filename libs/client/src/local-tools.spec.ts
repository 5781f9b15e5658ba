import type { ServerResponse } from 'node:http';
import type { LocalToolResultRequest } from '@platform/contracts';
import { frame, sse, TURN_ID, turnFrames } from '../test/fixtures.ts';
import { HELLO, refuses, sends, StreamHarness } from '../test/stream-harness.ts';
import { answer, startStream } from '../test/test-server.ts';
import type { Handler } from '../test/test-server.ts';
import type { PlatformError } from './errors.ts';
import type { LocalTool } from './local-tools.ts';
import type { TurnOptions } from './resources/agents.ts';

let harness: StreamHarness;

beforeEach(async () => {
  harness = new StreamHarness();
  await harness.server.start();
});
afterEach(() => harness.server.stop());

const TURN = `/api/agents/a-1/turns/${TURN_ID}`;
const accepts: Handler = (_, response) => answer(response, 200, { accepted: true });
const beginning = turnFrames([]).slice(0, 2);

const callFrame = (seq: number, callId: string, fields: object = {}) =>
  frame(seq, 'local-tool-call', {
    callId,
    tool: 'clock',
    arguments: { zone: 'UTC' },
    timeoutMs: 60_000,
    ...fields,
  });

/** A tool whose calls are always allowed. */
const allowed = (execute: LocalTool['execute']): LocalTool => ({ authorize: () => true, execute });

/** A service whose turn calls local tools and continues when it has all results. */
class Calling {
  readonly results: { callId: string; body: LocalToolResultRequest }[] = [];
  /** Responses to the first results, in order. Later results are accepted. */
  readonly refusals: Handler[] = [];
  /** Whether the segment has already ended. */
  recorded = false;
  private readonly calls: readonly object[];
  private stream: ServerResponse | null = null;

  constructor(...calls: object[]) {
    this.calls = calls;
    harness.server.handle = (request, response) => {
      if (request.path.endsWith(TURN)) {
        this.describe(response);
      } else if (request.path.includes('/local-tools/')) {
        this.results.push({
          callId: request.path.split('/').at(-1) ?? '',
          body: request.body as LocalToolResultRequest,
        });
        const handle = this.refusals.shift() ?? accepts;
        void handle(request, response);
        if (this.refusals.length === 0) this.continueTurn();
      } else {
        this.stream = response;
        startStream(response);
        response.write(sse([...beginning, ...this.callFrames]));
        if (this.recorded) this.end();
      }
    };
  }

  /** Ends the stream of the turn. */
  end(): void {
    const seq = this.callFrames.length + 3;
    this.stream?.end(sse(frame(seq, 'stream-ended', { lastSeq: seq })));
  }

  private get callFrames() {
    return this.calls.map((fields, i) => callFrame(i + 3, `c-${i + 1}`, fields));
  }

  private describe(response: ServerResponse): void {
    const segments = [{ segment: 1, origin: 'start', lastSeq: 3, ended: this.recorded }];
    answer(response, 200, { turnId: TURN_ID, segments });
  }

  private continueTurn(): void {
    const asked = this.callFrames.map(({ params }) => (params.data as { callId: string }).callId);
    if (new Set(this.results.map(({ callId }) => callId)).size === new Set(asked).size) this.end();
  }
}

async function chat(localTools: Record<string, LocalTool>, options = {}): Promise<void> {
  await harness.framesOf(harness.client().agents.chatStream('a-1', HELLO, { localTools, ...options }));
}

describe('local tools', () => {
  it('are declared by name and run for the stream that was started', async () => {
    const service = new Calling({}, { arguments: { zone: 'CET' } });
    const calls: unknown[] = [];
    await chat({
      clock: {
        authorize: () => true,
        execute: (args, { callId, signal }) => {
          calls.push([args, callId, signal.aborted]);
          return { time: `${String(args.zone)} noon` };
        },
      },
    });
    expect(harness.server.seen[0]?.body).toMatchObject({ registeredLocalTools: ['clock'] });
    expect(calls).toEqual([
      [{ zone: 'UTC' }, 'c-1', false],
      [{ zone: 'CET' }, 'c-2', false],
    ]);
    expect(service.results.sort((a, b) => a.callId.localeCompare(b.callId))).toEqual([
      { callId: 'c-1', body: { result: { time: 'UTC noon' } } },
      { callId: 'c-2', body: { result: { time: 'CET noon' } } },
    ]);
    expect(harness.timer.running).toBe(0);
  });

  it.each([
    ['no authorize', { execute: () => 1 }],
    ['no execute', { authorize: () => true }],
  ])('cannot be registered with %s', (_, tool) => {
    const { agents } = harness.client();
    const options = { localTools: { clock: tool as unknown as LocalTool } };
    const answered = { sessionId: 's-1', interactionId: 'i-1', selectedOptionIds: ['o-1'] };
    expect(() => agents.chatStream('a-1', HELLO, options)).toThrow(TypeError);
    expect(() => agents.executeStream('a-1', { inputs: {} }, options)).toThrow(/clock/);
    expect(() => agents.resume('a-1', TURN_ID, answered, options)).toThrow(TypeError);
    expect(harness.server.seen).toEqual([]);
  });

  it('are declared for a streamed execution and run in it', async () => {
    const service = new Calling({});
    const options = { localTools: { clock: allowed(() => 'noon') } };
    const stream = harness.client().agents.executeStream('a-1', { inputs: { query: 'x' } }, options);
    await harness.framesOf(stream);
    expect(harness.server.seen[0]?.body).toMatchObject({ stream: true, registeredLocalTools: ['clock'] });
    expect(service.results).toEqual([{ callId: 'c-1', body: { result: 'noon' } }]);
  });

  it('run a call once if two streams of the client contain it', async () => {
    const streams: ServerResponse[] = [];
    const results: unknown[] = [];
    harness.server.handle = (request, response) => {
      if (request.path.endsWith(TURN)) {
        answer(response, 200, { turnId: TURN_ID, segments: [{ segment: 1, origin: 'start', ended: false }] });
      } else if (request.path.includes('/local-tools/')) {
        results.push(request.body);
        void accepts(request, response);
        for (const stream of streams) stream.end(sse(frame(4, 'stream-ended', { lastSeq: 4 })));
      } else {
        streams.push(response);
        startStream(response);
        response.write(sse([...beginning, callFrame(3, 'c-1')]));
      }
    };
    const done: string[] = [];
    let told = 0;
    let bothAreTold = () => {};
    const both = new Promise<void>((resolve) => (bothAreTold = resolve));
    const clock = allowed(async (_, { callId }) => {
      done.push(callId);
      await both;
    });
    const { agents } = harness.client();
    const read = async () => {
      const answered = { sessionId: 's-1', interactionId: 'i-1', selectedOptionIds: ['o-1'] };
      for await (const { event } of agents.resume('a-1', TURN_ID, answered, { localTools: { clock } }))
        if (event === 'local.tool.call' && ++told === 2) bothAreTold();
    };
    await Promise.all([read(), read()]);
    expect(done).toEqual(['c-1']);
    expect(results).toHaveLength(1);
  });

  it('run for a turn that this client resumed', async () => {
    const service = new Calling({});
    const answered = { sessionId: 's-1', interactionId: 'i-1', selectedOptionIds: ['o-1'] };
    await harness
      .client()
      .agents.resume('a-1', TURN_ID, answered, { localTools: { clock: allowed(() => 1) } })
      .text();
    expect(service.results).toEqual([{ callId: 'c-1', body: { result: 1 } }]);
    expect(harness.server.seen[0]?.body).toEqual(answered);
  });

  it('receive the complete call in authorize, and denied calls do not run', async () => {
    const service = new Calling({});
    const asked: unknown[] = [];
    await chat({
      clock: {
        execute: () => asked.push('It ran'),
        authorize: async (call) => {
          asked.push(call);
          return { denied: true, reason: 'Not now' };
        },
      },
    });
    expect(asked).toEqual([{ callId: 'c-1', tool: 'clock', arguments: { zone: 'UTC' }, timeoutMs: 60_000 }]);
    expect(service.results).toEqual([{ callId: 'c-1', body: { denied: true, reason: 'Not now' } }]);
  });

  it.each([
    ['false', () => false, { denied: true }],
    ['nothing', () => undefined as unknown as boolean, { denied: true }],
    ['an error', () => Promise.reject(new Error('No window')), { error: 'No window' }],
  ])('do not run if the authorization is %s', async (_, authorize, body) => {
    const service = new Calling({});
    await chat({ clock: { authorize, execute: () => 'It ran' } });
    expect(service.results).toEqual([{ callId: 'c-1', body }]);
  });

  it.each([
    ['an error', () => Promise.reject(new Error('Broken')), { error: 'Broken' }],
    ['an error without words', () => Promise.reject(new Error('')), { error: 'The tool failed' }],
    ['nothing', () => undefined, { result: null }],
    ['what JSON cannot say', () => 1n, { error: expect.stringContaining('BigInt') as string }],
    ['null', () => null, { result: null }],
    ['false', () => false, { result: false }],
  ])('report to the model if they return %s', async (_, execute, body) => {
    const service = new Calling({});
    await chat({ clock: allowed(execute) });
    expect(service.results).toEqual([{ callId: 'c-1', body }]);
  });

  it('run a call once, however often it is announced', async () => {
    const service = new Calling({}, { callId: 'c-1' });
    const done: string[] = [];
    await chat({ clock: allowed((_, { callId }) => done.push(callId)) });
    expect(done).toEqual(['c-1']);
    expect(service.results).toHaveLength(1);
  });

  it('ignore calls of other readers, of unknown tools, and of recorded segments', async () => {
    const ran: string[] = [];
    const execute = (_: unknown, { callId }: { callId: string }) => ran.push(callId);
    const { agents } = harness.client();
    const frames = [...beginning, callFrame(3, 'c-1'), frame(4, 'stream-ended', { lastSeq: 4 })];
    harness.server.handle = sends(frames);
    const options: TurnOptions = { localTools: { clock: allowed(execute) } };
    expect(await harness.framesOf(agents.attachTurn('a-1', TURN_ID, {}, options))).toEqual(frames);
    expect(await harness.framesOf(agents.chatStream('a-1', HELLO))).toEqual(frames);
    const others = { localTools: { calendar: allowed(execute) } };
    expect(await harness.framesOf(agents.chatStream('a-1', HELLO, others))).toEqual(frames);

    const service = new Calling({ tool: 'clock' });
    service.recorded = true;
    expect(await harness.framesOf(agents.chatStream('a-1', HELLO, options))).toHaveLength(4);
    expect(service.results).toEqual([]);
    expect(ran).toEqual([]);
  });

  it('retry sending the result until the service has it', async () => {
    const service = new Calling({});
    service.refusals.push(
      (_, response) => void response.socket?.destroy(),
      refuses(503, 'UNAVAILABLE'),
      accepts,
    );
    let runs = 0;
    await chat({ clock: allowed(() => ++runs) });
    expect(runs).toBe(1);
    expect(service.results.map(({ body }) => body)).toContainEqual({ result: 1 });
    expect(service.results.length).toBeGreaterThanOrEqual(3);
  });

  it.each([
    [409, 'CONFLICT'],
    [404, 'NOT_FOUND'],
  ])('report a rejected result (%d), and the stream continues', async (status, code) => {
    const service = new Calling({}, { tool: 'other' });
    service.refusals.push(refuses(status, code));
    const reported = new Promise<unknown[]>((tell) => {
      void chat(
        { clock: allowed(() => 1) },
        {
          onLocalToolError: (error: unknown, call: { callId: string }) => {
            tell([(error as PlatformError).status, call.callId]);
            service.end();
          },
        },
      );
    });
    expect(await reported).toEqual([status, 'c-1']);
  });

  it('tell the model if the service rejects the result', async () => {
    const service = new Calling({});
    service.refusals.push(refuses(413, 'PAYLOAD_TOO_LARGE'), accepts);
    await chat({ clock: allowed(() => 'much') });
    expect(service.results.map(({ body }) => body)).toEqual([
      { result: 'much' },
      { error: 'PAYLOAD_TOO_LARGE!' },
    ]);
  });

  it('are aborted when they time out, and never start afterwards', async () => {
    const service = new Calling({ timeoutMs: 5_000 }, { timeoutMs: 5_000, tool: 'guarded' });
    const ran: string[] = [];
    let seen: AbortSignal | null = null;
    const stopped = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await chat({
      clock: {
        authorize: () => true,
        execute: (_, { signal }) => {
          seen = signal;
          return stopped(signal);
        },
      },
      guarded: {
        authorize: (_, { signal }) => stopped(signal).then(() => true),
        execute: () => ran.push('guarded'),
      },
    });
    expect(seen).toMatchObject({ aborted: true });
    expect(ran).toEqual([]);
    expect(service.results.map(({ body }) => body)).toEqual([
      { error: 'No result within 5000 ms' },
      { error: 'No result within 5000 ms' },
    ]);
  });

  it('are aborted when the turn ends, and no result is sent', async () => {
    const service = new Calling({});
    let stopped = false;
    await chat({
      clock: {
        authorize: () => true,
        execute: (_, { signal }) =>
          new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              stopped = true;
              resolve();
            });
            service.end();
          }),
      },
    });
    expect(stopped).toBe(true);
    expect(service.results).toEqual([]);
  });

  it('report to the turn when the caller aborts the stream', async () => {
    const service = new Calling({});
    const leaving = new AbortController();
    const delivered = new Promise<void>((done) => {
      service.refusals.push((request, response) => {
        void accepts(request, response);
        done();
      });
    });
    const reading = chat(
      { clock: allowed(() => new Promise(() => leaving.abort(new Error('Enough')))) },
      { signal: leaving.signal },
    );
    await expect(reading).rejects.toThrow('Enough');
    await delivered;
    expect(service.results).toEqual([{ callId: 'c-1', body: { error: 'Enough' } }]);
  });
});
