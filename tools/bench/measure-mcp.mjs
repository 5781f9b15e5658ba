// The server, PostgreSQL, both proxies, and the callers share the machine, so compare only within one run.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { child, runBench, started, temporaryPlace } from './bench.mjs';
import { Child } from './child.mjs';
import { installFastMcp } from './install-fastmcp.mjs';
import { postgresCpu } from './process-cpu.mjs';
import { freePort, startAlone } from './service.mjs';
import { printMcp } from './table.mjs';

const { values } = parseArgs({
  options: {
    callers: { type: 'string', default: '16' },
    quick: { type: 'boolean', default: false },
  },
});
const callers = Number(values.callers);
if (!(callers > 0)) {
  console.error('--callers is a number above 0');
  process.exit(1);
}
const seconds = values.quick ? 3 : 15;
const calls = values.quick ? 200 : 2_000;
const WARM_UP_SECONDS = values.quick ? 5 : 15;

await runBench(bench);

async function bench() {
  const place = await temporaryPlace();
  const folder = await installFastMcp();
  const backend = child('mcp-backend.mjs');
  const backendUrl = await backend.call('url');
  const fastmcp = await startFastMcp(folder, backendUrl);
  const service = await startService(place, backendUrl);
  const databaseCpu = await postgresCpu(place.databaseUrl);
  const load = child('mcp-client.mjs');

  const server = { name: 'server', target: { url: `${backendUrl}/mcp`, tool: 'echo', modern: true } };
  const subjects = [
    server,
    { name: 'fastmcp', target: fastmcp.target, measured: fastmcp.child },
    { name: 'service', target: service.target, measured: service.child },
    { name: 'tasks', target: { ...service.target, tasks: true }, measured: service.child },
  ].map((subject) => ({ measured: backend, ...subject }));

  const found = {};
  for (const { name, target, measured } of subjects) {
    console.error(`${name}: ${callers} callers × ${seconds} s …`);
    await load.call('closed', { target, callers, seconds: WARM_UP_SECONDS });
    await sleep(500);
    const before = { own: await measured.call('usage'), database: databaseCpu() };
    const done = await load.call('closed', { target, callers, seconds });
    const { cpuUs } = await measured.call('usage');
    found[name] = {
      rate: done / seconds,
      cpu: (cpuUs - before.own.cpuUs) / done,
      database: (databaseCpu() - before.database) / done,
    };
  }
  console.error(`${calls} calls of each in turn …`);
  const targets = subjects.map(({ target }) => target);
  await load.call('inTurn', { targets, calls: 20 });
  const times = await load.call('inTurn', { targets, calls });
  for (const [i, { name }] of subjects.entries()) {
    const [bare] = times;
    found[name].added = { p50: times[i].p50 - bare.p50, p99: times[i].p99 - bare.p99 };
    found[name].times = times[i];
  }
  printMcp({ found, callers, seconds, calls });
}

async function startFastMcp(folder, backendUrl) {
  const port = await freePort();
  const proxy = started(
    new Child(join(import.meta.dirname, 'mcp-fastmcp.mjs'), {
      args: [folder, backendUrl, String(port)],
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    }),
  );
  await proxy.call('ready');
  return { child: proxy, target: { url: `http://127.0.0.1:${port}/mcp`, tool: 'echo', modern: false } };
}

/** The service with the same tool, imported from the server. */
async function startService(place, backendUrl) {
  const env = { PLATFORM_RATE_LIMIT: '1000000000' };
  const { child: process, url, apiKey, as } = await startAlone({ ...place, env });
  const admin = as(apiKey);
  const tool = await admin('/api/tools', { name: 'Echo', kind: 'mcp', serverUrl: `${backendUrl}/mcp` });
  const { offers: found } = await admin(`/api/tools/${tool.id}/import`, {});
  await admin(`/api/tools/${tool.id}/import`, { methods: found.map(({ tool, hash }) => ({ tool, hash })) });
  const offers = { agents: [], tasks: [], tools: [{ toolId: tool.id, methods: null }] };
  const offered = await put(`${url}/api/mcp/offers`, offers, apiKey);
  const target = {
    url: `${url}${new URL(offered.url).pathname}`,
    headers: { Authorization: `Bearer ${apiKey}` },
    tool: 'Echo__echo',
    modern: true,
  };
  return { child: process, target };
}

async function put(url, body, credential) {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${credential}` };
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`PUT ${url} responded with ${response.status}: ${await response.text()}`);
  return response.json();
}
