// The clients of bench:events: over HTTP with kept connections, or straight into the database.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from './child.mjs';
import { quantile } from './clock.mjs';
import { EVENT, inserter, payloadOf } from './events-work.mjs';

const agent = new Agent({ keepAlive: true });
let sent = 0;

/** Returns a function that emits once, and resolves to the id of the envelope. `callers` take turns. */
function emitter({ url, callers, databaseUrl, connections }) {
  if (databaseUrl !== undefined) {
    const insert = inserter(databaseUrl, connections);
    return () => insert(payloadOf(sent++), randomUUID());
  }
  return async () => {
    const n = sent++;
    const { identifier, systemKey } = callers[n % callers.length];
    const body = {
      appIdentifier: identifier,
      event: EVENT,
      payload: payloadOf(n),
      idempotencyKey: randomUUID(),
    };
    return (await post(url, systemKey, body)).envelopeId;
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

/** Microseconds matter: Date.now() has whole milliseconds only. */
const epoch = () => performance.timeOrigin + performance.now();

async function inParallel(clients, work) {
  await Promise.all(Array.from({ length: clients }, work));
}

answer({
  /** Clients that emit without a pause. */
  async closed({ target, clients, seconds }) {
    const emit = emitter({ ...target, connections: clients });
    const times = [];
    const end = performance.now() + seconds * 1_000;
    const startedAt = performance.now();
    await inParallel(clients, async () => {
      while (performance.now() < end) {
        const since = performance.now();
        await emit();
        times.push(performance.now() - since);
      }
    });
    const rate = times.length / ((performance.now() - startedAt) / 1_000);
    return { rate, p50: quantile(times, 0.5), p99: quantile(times, 0.99), emitted: times.length };
  },

  /** A number of emissions, as fast as the clients can. Returns when the first was sent. */
  async burst({ target, clients, count }) {
    const emit = emitter(target);
    const startedAt = epoch();
    let left = count;
    await inParallel(clients, async () => {
      while (left-- > 0) await emit();
    });
    return startedAt;
  },

  /** One emission after another, with pauses. Returns when each was sent, by envelope. */
  async idle({ target, count, pauseMs }) {
    const emit = emitter(target);
    const sentAt = [];
    for (let i = 0; i < count; i++) {
      const at = epoch();
      sentAt.push([await emit(), at]);
      await sleep(pauseMs);
    }
    return sentAt;
  },
});
