// Calls chat completions of any server over node:http, which uses little CPU time itself.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from './child.mjs';
import { quantile } from './clock.mjs';

// The work that a gateway still does for the previous call must not count for the next one: the service charges calls
// together, up to 20 ms after they ended.
const PAUSE_MS = 40;
const DONE = 'data: [DONE]\n\n';

/** Each measurement has its own connections, because a server can close idle connections at any time. */
const withAgent = (measure) => async (asked) => {
  const agent = new Agent({ keepAlive: true });
  try {
    return await measure(asked, agent);
  } finally {
    agent.destroy();
  }
};

/** Makes one call. Returns the time to the first byte, in ms. */
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
        else reject(new Error(`${url} responded with ${res.statusCode} … ${end}`));
      });
    });
    req.end(body);
  });
}

answer({
  /** Runs concurrent callers that make one call after another. Returns the number of completed calls. */
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

  /** Opens concurrent streams, evenly spread over `spreadMs`. */
  open: withAgent(async ({ target, streams, spreadMs, order }, agent) => {
    const one = async (_, i) => {
      await sleep((i * spreadMs) / streams);
      await call(agent, target, order, true);
    };
    await Promise.all(Array.from({ length: streams }, one));
  }),

  /** Calls all targets in turn. Returns the median time to the first byte for each, in ms. */
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
