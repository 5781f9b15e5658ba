import type { ChangeEvent } from '@platform/contracts';
import { startStream } from '../test/test-server.ts';
import { inTurn, refuses, StreamHarness } from '../test/stream-harness.ts';

let harness: StreamHarness;

beforeEach(async () => {
  harness = new StreamHarness();
  await harness.server.start();
});
afterEach(() => harness.server.stop());

const data = (event: ChangeEvent) => `data: ${JSON.stringify(event)}\n\n`;
/** The harness knows this limit. */
const idleTimeoutMs = 45_000;
const changed: ChangeEvent = { kind: 'run', id: 'r-1', status: 'SUCCEEDED' };

it('continues after a lost connection, at the last position, also of a quiet stream', async () => {
  const left = new AbortController();
  harness.server.handle = inTurn(
    (_, response) => {
      startStream(response);
      response.end(`id: p1\n${data({ kind: 'reset' })}:\n\nid: p2\n\n`);
    },
    (_, response) => {
      startStream(response);
      response.write(`id: p3\n${data(changed)}`);
    },
  );
  const events: ChangeEvent[] = [];
  const connections: boolean[] = [];
  const onConnection = (isConnected: boolean) => connections.push(isConnected);
  const options = { signal: left.signal, onConnection, idleTimeoutMs };
  for await (const event of harness.client().changes.follow(options)) {
    events.push(event);
    if (event.kind === 'run') left.abort();
  }
  expect(events).toEqual([{ kind: 'reset' }, changed]);
  expect(harness.server.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'p2']);
  expect(connections).toEqual([true, false, true]);
});

it('ends with the error of a service that refuses', async () => {
  harness.server.handle = inTurn(refuses(403, 'FORBIDDEN'));
  await expect(harness.client().changes.follow({ idleTimeoutMs }).next()).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});

it('waits as long as the service requires', async () => {
  const left = new AbortController();
  harness.server.handle = inTurn(refuses(429, 'RATE_LIMITED', { 'Retry-After': '30' }), (_, response) => {
    startStream(response);
    response.write(data({ kind: 'reset' }));
  });
  const options = { signal: left.signal, idleTimeoutMs, reconnect: { maxDelayMs: 1_000 } };
  for await (const _ of harness.client().changes.follow(options)) left.abort();
  expect(harness.timer.delays).toEqual([30_000]);
});
