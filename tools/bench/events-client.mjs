// The clients of bench:events: over HTTP with kept connections, or straight into the database.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from './child.mjs';
import { quantile, unixTime } from './clock.mjs';
import { EVENT, inserter, payloadOf } from './events-work.mjs';

const agent = new Agent({ keepAlive: true });
let sent = 0;

/**
 * Returns a function that calls once, and resolves to the ids of the envelopes: one, or as many as a `batch` has. `callers`
 * take turns.
 */
function emitter({ url, callers, databaseUrl, connections, batch }) {
  if (databaseUrl !== undefined) {
    const insert = inserter(databaseUrl, connections);
    return async () => [await insert(payloadOf(sent++), randomUUID())];
  }
  let calls = 0;
  return async () => {
    const { identifier, systemKey } = callers[calls++ % callers.length];
    const event = () => ({
      appIdentifier: identifier,
      event: EVENT,
      payload: payloadOf(sent++),
      idempotencyKey: randomUUID(),
    });
    if (batch === undefined) return [(await post(url, systemKey, event())).envelopeId];
    const { items } = await post(`${url}-batch`, systemKey, { events: Array.from({ length: batch }, event) });
    const refused = items.find(({ code }) => code !== undefined);
    if (refused) throw new Error(`An event of a batch was refused: ${refused.message}`);
    return items.map(({ envelopeId }) => envelopeId);
  };
}

function post(url, key, value) {
  const body = JSON.stringify(value);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Authorization: `Bearer ${key}`,
  };
  return new Promise((resolve, reject) => {
    const req = request(url, { method: 'POST', agent, headers });
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('error', reject);
      res.on('data', (part) => (text += part));
      res.on('end', () => {
        if (res.statusCode === 200 || res.statusCode === 201) resolve(JSON.parse(text));
        else reject(new Error(`${url} responded with ${res.statusCode}: ${text}`));
      });
    });
    req.end(body);
  });
}

async function inParallel(clients, work) {
  await Promise.all(Array.from({ length: clients }, work));
}

answer({
  /** Clients that emit without a pause. */
  async closed({ target, clients, seconds }) {
    const emit = emitter({ ...target, connections: clients });
    const times = [];
    let emitted = 0;
    const end = performance.now() + seconds * 1_000;
    const startedAt = performance.now();
    await inParallel(clients, async () => {
      while (performance.now() < end) {
        const since = performance.now();
        const ids = await emit();
        emitted += ids.length;
        times.push(performance.now() - since);
      }
    });
    const rate = emitted / ((performance.now() - startedAt) / 1_000);
    return { rate, p50: quantile(times, 0.5), p99: quantile(times, 0.99), emitted };
  },

  /** A number of emissions, as fast as the clients can. Returns when the first was sent. */
  async burst({ target, clients, count }) {
    const emit = emitter(target);
    const startedAt = unixTime();
    let calls = count / (target.batch ?? 1);
    await inParallel(clients, async () => {
      while (calls-- > 0) await emit();
    });
    return startedAt;
  },

  /** One emission after another, with pauses. Returns when each was sent, by envelope. */
  async idle({ target, count, pauseMs }) {
    const emit = emitter(target);
    const sentAt = [];
    for (let i = 0; i < count; i++) {
      const at = unixTime();
      const [id] = await emit();
      sentAt.push([id, at]);
      await sleep(pauseMs);
    }
    return sentAt;
  },
});
