// The service with two spaces of different people: a quiet one, and its noisy neighbor.
import { startAlone } from './service.mjs';

const PERSON = { email: 'admin@example.com', password: 'correct horse battery' };
const EVENT = 'order.created';
const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } } };

/** Starts the service. `quiet.emit(payload)` starts a short run; `noisy` is for `neighbors-noises.mjs`. */
export async function startSpaces({ databaseUrl, dataDir, env, processes }) {
  const service = await startAlone({
    databaseUrl,
    dataDir,
    env: { ...env, PLATFORM_ADMIN_EMAIL: PERSON.email, PLATFORM_ADMIN_PASSWORD: PERSON.password },
  });
  const children = [service.child];
  const urls = [service.url];
  for (let i = 1; i < processes; i++) {
    const second = await service.startSecond({ PLATFORM_ROLE: 'all' });
    children.push(second.child);
    urls.push(second.url);
  }
  const neighbor = await addNeighbor(service);
  const quiet = await install(service.as(service.apiKey), urls, {
    tasks: [task('work', 'return { ok: true };')],
    subscriptions: [{ key: 'work', event: EVENT, taskKey: 'work' }],
  });
  return {
    quiet,
    noisy: { as: neighbor, install: (manifest) => install(neighbor, urls, manifest), task },
    stop: async () => {
      for (const child of children) await child.stop();
    },
  };
}

export function task(key, source, steps = [{ id: 'work', kind: 'code', source }]) {
  return { key, name: key, type: 'EVENT', concurrency: 100, timeoutMs: 3_600_000, workflow: { steps } };
}

/** Installs an application with one event. `emit` and `emitBatch` call each process in turn. */
async function install(as, urls, manifest) {
  const { systemKey } = await as('/api/applications', {
    identifier: 'bench',
    name: 'Bench',
    version: '1.0.0',
    events: [{ name: EVENT, description: 'An order was created.', payloadSchema: SCHEMA }],
    ...manifest,
  });
  let calls = 0;
  const call = async (path, body) => {
    const res = await fetch(`${urls[calls++ % urls.length]}/api/events/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${systemKey}` },
      body: JSON.stringify(body),
    });
    if (!res.ok) throw new Error(`The emission failed with ${res.status}: ${await res.text()}`);
    return res.json();
  };
  const eventOf = (payload) => ({ appIdentifier: 'bench', event: EVENT, payload });
  return {
    emit: (payload) => call('emit', eventOf(payload)),
    emitBatch: (payloads) => call('emit-batch', { events: payloads.map(eventOf) }),
    as,
  };
}

/** Another person with a space of their own. Returns a function that posts as that person. */
async function addNeighbor({ as, url }) {
  const person = { email: 'neighbor@example.com', password: PERSON.password };
  const admin = await as(null)('/api/auth/login', PERSON);
  await as(admin.accessToken)('/api/members', { ...person, role: 'MEMBER' });
  const { accessToken } = await as(null)('/api/auth/login', person);
  const space = await as(accessToken)('/api/spaces', { name: 'Noisy' });
  const signIn = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(person),
  });
  const [cookie] = signIn.headers.get('set-cookie').split(';');
  const refreshed = await fetch(`${url}/api/auth/refresh`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie },
    body: JSON.stringify({ spaceId: space.id }),
  });
  const token = (await refreshed.json()).accessToken;
  const { key } = await as(token)('/api/api-keys', {
    name: 'bench',
    scopes: ['use', 'manage', 'administer'],
  });
  return as(key);
}
