import type { EmitRequest } from '@platform/contracts';
import { FakeTimer } from '../test/fake-timer.ts';
import { answer, cut, TestServer } from '../test/test-server.ts';
import { PlatformClient } from './client.ts';
import { emitManagedEvent } from './emit-managed-event.ts';
import { PlatformConnectionError } from './errors.ts';

const EVENT: EmitRequest = { appIdentifier: 'shop', event: 'order.created', payload: { total: 12 } };
const RECORDED = {
  envelopeId: 'e-1',
  status: 'PENDING',
  duplicate: false,
  samePayload: true,
  emittedAt: '2026-01-01T00:00:00.000Z',
};

let server: TestServer;

beforeEach(async () => {
  server = await new TestServer().start();
});
afterEach(async () => {
  const globals = globalThis as Record<string, unknown>;
  delete globals.window;
  delete globals.document;
  await server.stop();
});

const settings = () => ({
  baseUrl: `${server.url}/`,
  systemKey: 'app_1',
  timer: new FakeTimer({ limits: [60_000] }),
  random: () => 0.5,
});

/** Every way to emit an event. */
const WAYS: [string, (event: EmitRequest) => Promise<unknown>][] = [
  ['emitManagedEvent', (event) => emitManagedEvent(settings(), event)],
  [
    'events.emit',
    (event) => {
      const { systemKey, ...options } = settings();
      return new PlatformClient({ ...options, apiKey: systemKey }).events.emit(event);
    },
  ],
];

describe.each(WAYS)('%s', (_, emit) => {
  it('sends the event with the system key and returns the envelope', async () => {
    server.handle = (_request, response) => answer(response, 200, RECORDED);
    expect(await emit(EVENT)).toEqual(RECORDED);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/api/events/emit', body: EVENT });
    expect(server.seen[0]?.headers.authorization).toBe('Bearer app_1');
  });

  it('repeats a request whose response was lost, if the event has an idempotency key', async () => {
    server.handle = async (_request, response) => {
      if (server.seen.length === 1) return cut(response);
      if (server.seen.length === 2) {
        answer(response, 503, { success: false, message: 'down', code: 'UNAVAILABLE' });
        return;
      }
      answer(response, 200, { ...RECORDED, duplicate: true });
    };
    const event = { ...EVENT, idempotencyKey: 'order-7' };
    expect(await emit(event)).toMatchObject({ duplicate: true });
    expect(server.seen.map(({ body }) => body)).toEqual([event, event, event]);
  });

  it.each([undefined, null])('does not repeat the request with the idempotency key %p', async (key) => {
    server.handle = (_request, response) => cut(response);
    const event = key === undefined ? EVENT : { ...EVENT, idempotencyKey: key };
    await expect(emit(event)).rejects.toBeInstanceOf(PlatformConnectionError);
    expect(server.seen).toHaveLength(1);
  });

  it('is refused in a browser', async () => {
    Object.assign(globalThis, { window: globalThis, document: {} });
    await expect(async () => emit(EVENT)).rejects.toThrow('must not be used in a browser');
    expect(server.seen).toEqual([]);
  });
});

describe('replay', () => {
  it('is repeated only with a request key', async () => {
    server.handle = (_request, response) => cut(response);
    const { systemKey, ...options } = settings();
    const { events } = new PlatformClient({ ...options, apiKey: systemKey });
    await expect(events.replay('e-1')).rejects.toBeInstanceOf(PlatformConnectionError);
    expect(server.seen).toHaveLength(1);
    await expect(events.replay('e-1', { requestKey: 'k' })).rejects.toBeInstanceOf(PlatformConnectionError);
    expect(server.seen).toHaveLength(4);
  });
});

describe('batches of events', () => {
  const keyed = (key: string): EmitRequest => ({ ...EVENT, idempotencyKey: key });
  const client = (more: object = {}) => {
    const { systemKey, ...options } = settings();
    return new PlatformClient({ ...options, apiKey: systemKey, ...more });
  };
  const refused = { success: false, code: 'NOT_FOUND', message: 'not registered' };

  /** Records every event except those whose key is `bad`. */
  const record = () => {
    server.handle = ({ body }, response) => {
      const { events } = body as { events: EmitRequest[] };
      const items = events.map(({ idempotencyKey: key }) =>
        key === 'bad' ? refused : { ...RECORDED, envelopeId: key ?? 'none' },
      );
      answer(response, 200, { items });
    };
  };

  it('are sent as they are, and retried if every event has a key', async () => {
    record();
    const { events } = client();
    expect(await events.emitBatch([keyed('a'), keyed('bad')])).toEqual({
      items: [{ ...RECORDED, envelopeId: 'a' }, refused],
    });
    expect(server.seen[0]).toMatchObject({ url: '/api/events/emit-batch' });
    server.handle = (_request, response) => cut(response);
    await expect(events.emitBatch([keyed('a'), EVENT])).rejects.toBeInstanceOf(PlatformConnectionError);
    expect(server.seen).toHaveLength(2);
    await expect(events.emitBatch([keyed('a')])).rejects.toBeInstanceOf(PlatformConnectionError);
    expect(server.seen).toHaveLength(5);
  });

  it('collect the emissions of 5 ms, and each settles with its own outcome', async () => {
    record();
    const timer = new FakeTimer({ limits: [60_000] });
    const { events } = client({ batchEmits: true, timer });
    const changed = keyed('a');
    const results = [changed, keyed('bad'), keyed('b'), EVENT].map((event) => events.emit(event));
    changed.idempotencyKey = 'changed afterwards';
    const settled = await Promise.allSettled(results);
    expect(settled).toMatchObject([
      { value: { envelopeId: 'a' } },
      { reason: { status: 404, code: 'NOT_FOUND', message: 'not registered' } },
      { value: { envelopeId: 'b' } },
      { value: { envelopeId: 'none' } },
    ]);
    expect(timer.delays).toEqual([5]);
    // What may be repeated is apart from what may not.
    expect(server.seen.map(({ body }) => (body as { events: unknown[] }).events.length).sort()).toEqual([
      1, 3,
    ]);
  });

  it('have at most 500 events and a million characters', async () => {
    record();
    const { events } = client({ batchEmits: true });
    const sent = Array.from({ length: 501 }, (_, i) => events.emit(keyed(`k${i}`)));
    const large = { ...EVENT, payload: { text: 'x'.repeat(600_000) } };
    sent.push(events.emit(large), events.emit(large));
    await Promise.all(sent);
    const sizes = server.seen.map(({ body }) => (body as { events: unknown[] }).events.length);
    expect(sizes.sort((a, b) => a - b)).toEqual([1, 1, 1, 500]);
  });

  it('are sent at once by flush, which resolves when each event has its outcome', async () => {
    record();
    const timer = new FakeTimer({ limits: [60_000, 5] });
    const { events } = client({ batchEmits: true, timer });
    let ended = 0;
    for (const key of ['a', 'bad']) {
      events.emit(keyed(key)).then(
        () => ended++,
        () => ended++,
      );
    }
    expect(server.seen).toHaveLength(0);
    await events.flush();
    expect(ended).toBe(2);
    await events.flush();
    expect([server.seen.length, timer.running]).toEqual([1, 0]);
  });

  it('reject every event if there is no response, and emit goes on', async () => {
    server.handle = (_request, response) => cut(response);
    const { events } = client({ batchEmits: true });
    const lost = await Promise.allSettled([events.emit(EVENT), events.emit(keyed('a'))]);
    expect(
      lost.map((one) => one.status === 'rejected' && one.reason instanceof PlatformConnectionError),
    ).toEqual([true, true]);
    expect(server.seen).toHaveLength(4);
    record();
    expect(await events.emit(keyed('a'))).toMatchObject({ envelopeId: 'a' });
    await expect(events.emit(BigInt(1) as never)).rejects.toBeInstanceOf(TypeError);
  });

  it('do not contain emissions with options of their own', async () => {
    server.handle = (_request, response) => answer(response, 200, RECORDED);
    await client({ batchEmits: true }).events.emit(EVENT, { signal: AbortSignal.timeout(60_000) });
    expect(server.seen).toMatchObject([{ url: '/api/events/emit' }]);
  });
});
