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
