import { frame, sse, TURN_ID, turnFrames } from '../test/fixtures.ts';
import {
  ATTACH_PATH,
  cutsAtOnce,
  failureOf,
  HELLO,
  inTurn,
  refuses,
  sends,
  StreamHarness,
  WORDS,
} from '../test/stream-harness.ts';
import { startStream } from '../test/test-server.ts';
import type { Handler } from '../test/test-server.ts';
import { AgentStreamError, PlatformConnectionError, PlatformError } from './errors.ts';

let harness: StreamHarness;

beforeEach(async () => {
  harness = new StreamHarness();
  await harness.server.start();
});
afterEach(() => harness.server.stop());

const frames = turnFrames(WORDS);
const ANSWER = { sessionId: 's-1', interactionId: 'i-1', selectedOptionIds: ['o-1'] };
const RESUME_PATH = `/api/agents/a-1/turns/${TURN_ID}/resume`;

/** Sends the turn and session ids in headers, as the service does, and cuts the connection after two frames. */
const tellsThenCuts: Handler = (_, response) => {
  startStream(response, { 'X-Turn-Id': TURN_ID, 'X-Session-Id': 'caf%C3%A9%20100%25' });
  response.end(sse(frames.slice(0, 2)));
};

describe('a question', () => {
  it('is available on the stream that asked it', async () => {
    const interaction = { interactionId: 'i-1', turnId: TURN_ID, question: 'Which?', options: [] };
    const asking = [
      ...frames.slice(0, 2),
      frame(3, 'agent-input-required', { interaction }),
      frame(4, 'stream-ended', { lastSeq: 4 }),
    ];
    harness.server.handle = sends(asking);
    const stream = harness.client().agents.chatStream('a-1', HELLO);
    expect(stream.interaction).toBeNull();
    await harness.framesOf(stream);
    expect(stream.interaction).toEqual(interaction);
  });
});

describe('resume', () => {
  it('sends the answer and reads the next segment', async () => {
    harness.server.handle = sends(frames);
    const stream = harness.client().agents.resume('a-1', TURN_ID, { ...ANSWER, otherText: 'Blue' });
    expect(stream.turnId).toBe(TURN_ID);
    expect(await stream.text()).toBe(WORDS.join(''));
    expect(harness.seen()).toEqual([`POST ${RESUME_PATH}`]);
    expect(harness.server.seen[0]?.body).toEqual({ ...ANSWER, otherText: 'Blue' });
    expect(harness.server.seen[0]?.headers).toMatchObject({ 'x-platform-stream-protocol': 'langgraph-v3' });
  });

  it('repeats the answer if there was no response, and attaches once frames have arrived', async () => {
    harness.server.handle = inTurn(
      cutsAtOnce,
      harness.sendsThenCuts(sse(frames.slice(0, 3)), 3),
      sends(frames, 3),
    );
    expect(await harness.framesOf(harness.client().agents.resume('a-1', TURN_ID, ANSWER))).toEqual(frames);
    expect(harness.seen()).toEqual([
      `POST ${RESUME_PATH}`,
      `POST ${RESUME_PATH}`,
      `GET ${ATTACH_PATH}?segment=1&after=3`,
    ]);
    expect(harness.server.seen[1]?.body).toEqual(ANSWER);
  });

  it('treats a 409 as an error, also for a repeated answer', async () => {
    harness.server.handle = inTurn(cutsAtOnce, refuses(409, 'CONFLICT'));
    const error = await failureOf(harness.client().agents.resume('a-1', TURN_ID, ANSWER).text());
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ status: 409, message: 'CONFLICT!' });
    expect(harness.server.seen).toHaveLength(2);
  });
});

describe('executeStream', () => {
  const REQUEST = { inputs: { query: 'Why?', topic: 'rain' } };

  it('takes its turn and session from the response, and attaches to that turn', async () => {
    harness.server.handle = inTurn(tellsThenCuts, sends(frames, 2));
    const stream = harness.client().agents.executeStream('a-1', REQUEST);
    expect([stream.turnId, stream.sessionId]).toEqual([null, null]);
    const read = [];
    let sessionAtFirst: string | null = null;
    for await (const each of stream.frames()) {
      if (each.seq === 2) sessionAtFirst = stream.sessionId;
      read.push(each);
    }
    expect(read).toEqual(frames);
    expect(stream.turnId).toBe(TURN_ID);
    expect(sessionAtFirst).toBe('s-1');
    expect(harness.seen()).toEqual(['POST /api/agents/a-1/execute', `GET ${ATTACH_PATH}?segment=1&after=2`]);
    expect(harness.server.seen[0]?.body).toEqual({ ...REQUEST, stream: true });
  });

  it('never repeats a start without a response, because it could run twice', async () => {
    harness.server.handle = cutsAtOnce;
    const error = await failureOf(harness.client().agents.executeStream('a-1', REQUEST).text());
    expect(error).toBeInstanceOf(PlatformConnectionError);
    expect(harness.seen()).toEqual(['POST /api/agents/a-1/execute']);
  });

  it('ends as truncated if the response did not contain the turn id', async () => {
    harness.server.handle = inTurn(sends(frames.slice(0, 2)));
    const error = await failureOf(harness.client().agents.executeStream('a-1', REQUEST).text());
    expect(error).toBeInstanceOf(AgentStreamError);
    expect(error).toMatchObject({ code: 'truncated', lastValidSeq: 2, turnId: null, requestId: 'req-1' });
  });
});

describe('jobs.stream', () => {
  it('reads the stream of the job and reconnects after the last frame', async () => {
    harness.server.handle = inTurn(cutsAtOnce, tellsThenCuts, sends(frames, 2));
    const stream = harness.client().jobs.stream('j-1');
    expect(await harness.framesOf(stream)).toEqual(frames);
    expect(stream.turnId).toBe(TURN_ID);
    const path = '/api/agent-jobs/j-1/stream';
    expect(harness.seen()).toEqual([`GET ${path}`, `GET ${path}`, `GET ${path}?segment=1&after=2`]);
  });
});

describe('the session of a stream', () => {
  it.each([
    ['caf%C3%A9%20100%25', 'café 100%'],
    ['100%', '100%'],
  ])('is read from the percent-encoded header: %p', async (header, name) => {
    harness.server.handle = (_, response) => {
      startStream(response, { 'X-Session-Id': header });
      response.end(sse(frames.slice(1)));
    };
    const stream = harness.client().agents.attachTurn('a-1', TURN_ID, { after: 1 });
    await stream.text();
    expect(stream.sessionId).toBe(name);
  });
});
