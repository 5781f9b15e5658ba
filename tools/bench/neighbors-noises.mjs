// What a noisy space does in bench:neighbors. Each noise lasts longer than the measurement, or until the signal aborts.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from './bench.mjs';

const FOREVER = 'await new Promise(() => {});';
const BOMB = 'const all = []; for (;;) all.push(new Array(10_000).fill(all.length));';
const CLIENTS = 16;
const TABLE = {
  name: 'orders',
  columns: [{ name: 'n', type: 'integer' }],
  emits: { onInsert: 'order.created' },
};
/** Rows of a request, and events of one. */
const ROWS = 1_000;
const EVENTS = 500;
const PACE_MS = 3_000;
const REPLAYS_PER_SECOND = 1_000;
const number = (n) => n.toLocaleString('en');

export const NOISES = {
  runs: {
    title: (scale) => `${number(4_000 * scale)} runs of 1 s`,
    isArrivalAwaited: true,
    make: async (noisy, scale, signal) => emitTo(await withTool(noisy, 1_000), 4_000 * scale, signal),
  },
  deliveries: {
    title: (scale) => `${number(80_000 * scale)} deliveries`,
    make: async ({ install, task }, scale, signal) => {
      const tasks = Array.from({ length: 40 }, (_, i) => task(`work-${i}`, 'return 1;'));
      const subscriptions = tasks.map(({ key }) => ({ key, event: 'order.created', taskKey: key }));
      await emitTo(await install({ tasks, subscriptions }), 2_000 * scale, signal);
    },
  },
  hang: {
    title: () => '100 runs that wait for nothing',
    isArrivalAwaited: true,
    make: async (noisy, _scale, signal) => emitTo(await withCode(noisy, FOREVER), 100, signal),
  },
  bombs: {
    title: (scale) => `${number(500 * scale)} bombs in the sandbox`,
    make: async (noisy, scale, signal) => emitTo(await withCode(noisy, BOMB), 500 * scale, signal),
  },
  rows: {
    title: (scale) => `${number(20_000 * scale)} rows every 3 s`,
    make: async (noisy, scale, signal) => {
      const { as } = await withCode(noisy, 'return 1;', { tables: [TABLE] });
      while (!signal.aborted) {
        const next = sleep(PACE_MS);
        for (let left = 20_000 * scale; left > 0 && !signal.aborted; left -= ROWS)
          await as('/api/data/bench/orders/rows/batch', {
            rows: Array.from({ length: ROWS }, (_, n) => ({ n })),
          });
        await next;
      }
    },
  },
  replay: {
    title: (scale) => `a bulk replay of ${number(100_000 * scale)}`,
    isArrivalAwaited: true,
    make: async ({ install, task }, scale) => {
      const from = new Date().toISOString();
      const { as, emitBatch } = await install({ tasks: [task('work', 'return 1;')] });
      for (let left = 100_000 * scale; left > 0; left -= EVENTS)
        await emitBatch(Array.from({ length: EVENTS }, (_, n) => ({ n })));
      while ((await as('/api/events/envelopes?status=PENDING&limit=1')).items.length > 0) await sleep(100);
      const [work] = (await as('/api/tasks?limit=1')).items;
      const event = { applicationIdentifier: 'bench', event: 'order.created' };
      await as('/api/events/subscriptions', { ...event, taskId: work.id });
      const to = new Date(Date.now() + 60_000).toISOString();
      await as('/api/events/replays', { from, to, perSecond: REPLAYS_PER_SECOND });
    },
  },
  tools: {
    title: (scale) => `${number(10_000 * scale)} tool calls to a server that hangs`,
    make: async (noisy, scale, signal) => emitTo(await withTool(noisy, null), 10_000 * scale, signal),
  },
};

async function emitTo({ emit }, count, signal) {
  let left = count;
  const client = async () => {
    while (left-- > 0 && !signal.aborted) await emit({ n: left });
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

const SUBSCRIBED = [{ key: 'work', event: 'order.created', taskKey: 'work' }];

function withCode({ install, task }, source, manifest) {
  return install({ tasks: [task('work', source)], subscriptions: SUBSCRIBED, ...manifest });
}

/** A task that calls a server, which responds after a time; null: never. */
async function withTool({ as, install, task }, afterMs) {
  const server = createServer((_, res) => {
    if (afterMs !== null) setTimeout(() => res.end('{}'), afterMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => server.closeAllConnections());
  const tool = await as('/api/tools', {
    name: 'Slow',
    serverUrl: `http://127.0.0.1:${server.address().port}`,
    methods: [{ name: 'wait', httpMethod: 'get', path: '/', inputSchema: { type: 'object' } }],
  });
  const step = { id: 'work', kind: 'tool', toolId: tool.id, method: 'wait', input: {} };
  return install({ tasks: [task('work', null, [step])], subscriptions: SUBSCRIBED });
}
