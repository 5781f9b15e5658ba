// Calls chat completions over plain node:http, whoever answers them, and leaves most of the machine to what is measured.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from './child.mjs';
import { quantile } from './clock.mjs';

// What a gateway still does for the call before is no part of the next one.
const PAUSE_MS = 15;
const DONE = 'data: [DONE]\n\n';

/** Connections live as long as one measurement: a server may close those that are idle, also just then. */
const withAgent = (measure) => async (asked) => {
  const agent = new Agent({ keepAlive: true });
  try {
    return await measure(asked, agent);
  } finally {
    agent.destroy();
  }
};

/** One call to its end; answers when its first byte came, in ms. */
function call(agent, { url, headers }, order, stream) {
  const body = JSON.stringify({
    model: 'bench',
    stream,
    messages: [{ role: 'user', content: JSON.stringify(order) }],
  });
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const req = request(`${url}/chat/completions`, {
      method: 'POST',
      agent,
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
    });
    req.on('error', reject);
    req.on('response', (res) => {
      let firstByteMs;
      let end = '';
      res.on('error', reject);
      res.on('data', (bytes) => {
        firstByteMs ??= performance.now() - startedAt;
        end = (end + bytes.subarray(-DONE.length).latin1Slice()).slice(-DONE.length);
      });
      res.on('end', () => {
        if (res.statusCode === 200 && (stream ? end === DONE : end.endsWith('}'))) resolve(firstByteMs);
        else reject(new Error(`${url} answered ${res.statusCode} … ${end}`));
      });
    });
    req.end(body);
  });
}

answer({
  /** So many callers, each with one call after the other; answers how many calls came to their end. */
  closed: withAgent(async ({ target, callers, seconds, order, stream }, agent) => {
    const end = performance.now() + seconds * 1_000;
    let calls = 0;
    const caller = async () => {
      while (performance.now() < end) {
        await call(agent, target, order, stream);
        calls++;
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return calls;
  }),

  /** Streams side by side, opened evenly over `spreadMs`. */
  open: withAgent(async ({ target, streams, spreadMs, order }, agent) => {
    const one = async (_, i) => {
      await sleep((i * spreadMs) / streams);
      await call(agent, target, order, true);
    };
    await Promise.all(Array.from({ length: streams }, one));
  }),

  /** Calls of all targets in turn: for each target the median time to the first byte, in ms. */
  inTurn: withAgent(async ({ targets, calls, order }, agent) => {
    const times = targets.map(() => []);
    for (let i = 0; i < calls; i++) {
      for (const [n, target] of targets.entries()) {
        times[n].push(await call(agent, target, order, true));
        await sleep(PAUSE_MS);
      }
    }
    return times.map((of) => quantile(of, 0.5));
  }),
});
