// Runs the compiled service as in production, with an agent on the fake model and API keys for the load.
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { started } from './bench.mjs';
import { Child } from './child.mjs';

// Well below the limits of the service for open streams and requests.
const STREAMS_PER_USER = 100;
const COME_UP_MS = 60_000;

/** Starts the service on an empty database, with an agent and keys for this number of concurrent streams. */
export async function startService({ modelUrl, streams, ...place }) {
  const { child, url, apiKey, as, startSecond, signIn } = await startAlone(place);
  const admin = as(apiKey);
  const limits = { contextWindow: 10_000_000, maxOutputTokens: 1_000_000 };
  await admin('/api/models', { name: 'bench', baseUrl: modelUrl, ...limits });
  const agent = await admin('/api/agents', { name: 'Bench', model: 'bench', systemPrompt: 'Answer.' });
  const keys = [apiKey];
  while (keys.length * STREAMS_PER_USER < streams)
    keys.push(await memberKey(as, await signIn(), keys.length));
  return { child, access: { url, agentId: agent.id, keys }, admin, startSecond };
}

/**
 * Starts the service on an empty database. `as(credential)` returns a function that posts, or gets without a body;
 * `startSecond()` starts another process of it, which by default only serves requests; `startAgain()` starts it anew after
 * its process was stopped.
 */
export async function startAlone({ databaseUrl, dataDir, env = {} }) {
  const settings = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    PLATFORM_DATA_DIR: dataDir,
    PLATFORM_SECRET_KEY: randomBytes(32).toString('base64'),
    PLATFORM_SEED: 'demo',
    PLATFORM_LOG_LEVEL: 'warn',
    PLATFORM_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    PLATFORM_MAX_RUNNING_TURNS: '1000',
    PLATFORM_EMISSION_LIMIT: '1000000000',
    ...env,
  };
  const { url, child } = await startProcess(settings);
  const first = JSON.parse(readFileSync(join(dataDir, 'first-start.json'), 'utf8'));
  const as = (credential) => (path, body) => send(url + path, body, credential);
  const startSecond = (env = { PLATFORM_ROLE: 'api' }) => startProcess({ ...settings, ...env });
  const startAgain = () => startProcess(settings);
  const signIn = async () =>
    as((await as(null)('/api/auth/login', { email: first.email, password: first.password })).accessToken);
  return { child, url, apiKey: first.apiKey, as, signIn, startSecond, startAgain };
}

async function startProcess(env) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = started(
    new Child('apps/api/dist/main.js', {
      execArgv: ['--import', join(import.meta.dirname, 'probe.mjs')],
      env: { ...env, PORT: String(port) },
      onLine: (line) => line.startsWith('{') && console.error(line),
    }),
  );
  await ready(url, child);
  return { url, child };
}

/** Only a sign-in can add people and create keys. */
async function memberKey(as, admin, n) {
  const person = { email: `bench-${n}@example.com`, password: randomBytes(12).toString('hex') };
  await admin('/api/members', { ...person, role: 'MEMBER' });
  const { accessToken } = await as(null)('/api/auth/login', person);
  return (await as(accessToken)('/api/api-keys', { name: 'bench', scopes: ['invoke'] })).key;
}

async function send(url, body, credential) {
  const headers = { 'Content-Type': 'application/json' };
  if (credential) headers.Authorization = `Bearer ${credential}`;
  const method = body === undefined ? 'GET' : 'POST';
  const res = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!res.ok) throw new Error(`${method} ${url} responded with ${res.status}: ${await res.text()}`);
  return res.json();
}

async function ready(url, child) {
  for (const deadline = Date.now() + COME_UP_MS; ; await sleep(100)) {
    const res = await fetch(`${url}/api/health/ready`).catch(() => null);
    if (res?.ok) return;
    // Rejects if the process has ended.
    await child.call('usage');
    if (Date.now() > deadline) throw new Error('The service does not start');
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
