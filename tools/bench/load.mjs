// The load that a client generates, independent of the server that it calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from './child.mjs';
import { TOKEN_LENGTH, between, now, quantile, timeOf } from './clock.mjs';

// Reading the time of every token would distort the measurement.
const MEASURED = 8;
// The work that the service still does for the previous turn must not count for an idle turn.
const PAUSE_MS = 25;

/**
 * Lets the parent put load on a server. `stream(order, onText)` makes one call, hands over the texts of its deltas
 * and resolves at its end.
 */
export function serveLoad(stream) {
  let delays = [];
  let received = 0;
  let ended;

  async function run(order, onFirst = () => {}) {
    let tokens = 0;
    await stream(order, (text) => {
      if (tokens === 0) onFirst(text);
      for (let at = 0; at < text.length; at += TOKEN_LENGTH) {
        tokens++;
        if (received++ % MEASURED === 0) delays.push(between(timeOf(text, at), now()));
      }
    });
    if (tokens !== order.tokens) throw new Error(`${tokens} of ${order.tokens} tokens arrived`);
  }

  answer({
    /** Opens streams, evenly spread over `spreadMs`. Resolves when each has received its first token. */
    async open({ streams, spreadMs, order }) {
      const runs = [];
      const firsts = [];
      for (let i = 0; i < streams; i++) {
        firsts.push(
          new Promise((resolve, reject) => {
            runs.push(run(order, resolve));
            runs.at(-1).catch(reject);
          }),
        );
        await sleep(spreadMs / streams);
      }
      ended = Promise.all(runs);
      ended.catch(() => {});
      await Promise.all(firsts);
    },

    /** Runs concurrent callers that make one call after another. Returns the number of completed calls. */
    async closed({ callers, seconds, order }) {
      const end = performance.now() + seconds * 1_000;
      let calls = 0;
      const caller = async () => {
        while (performance.now() < end) {
          await run(order);
          calls++;
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return calls;
    },

    /** Starts counting. */
    mark() {
      delays = [];
      received = 0;
    },

    /** Returns what arrived since `mark`, and the time in ms. */
    count: () => ({ tokens: received, p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) }),

    /** Resolves when all open streams have ended. Rejects if one is incomplete. */
    ended: () => ended.then(() => {}),

    /** Makes calls one after another. Returns the median times to the model and from its first byte to our first delta, in ms. */
    async turns(count, order) {
      const called = [];
      const first = [];
      for (let i = 0; i < count; i++) {
        if (i > 0) await sleep(PAUSE_MS);
        const sentAt = now();
        await run(order, (text) => {
          called.push(between(sentAt, timeOf(text, 0)));
          first.push(between(timeOf(text, TOKEN_LENGTH), now()));
        });
      }
      return { called: quantile(called, 0.5), first: quantile(first, 0.5) };
    },
  });
}
