// What a noisy space does in bench:neighbors. Each noise lasts longer than the measurement, or until the signal aborts.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { cleanUp } from './bench.mjs';

const FOREVER = 'await new Promise(() => {});';
const BOMB = 'const all = []; for (;;) all.push(new Array(10_000).fill(all.length));';
const CLIENTS = 16;
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

function withCode({ install, task }, source) {
  return install({ tasks: [task('work', source)], subscriptions: SUBSCRIBED });
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
