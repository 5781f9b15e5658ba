import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { measureBystander } from './harness/bystander.ts';
import { ServiceProcess } from './harness/process.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { SlowReaders } from './harness/slow-readers.ts';

const MB = 1024 * 1024;
/**
 * A quiet machine takes a tenth of it. Readers that share connections with requests cost these many seconds. A machine
 * that pauses delays the few requests of that moment.
 */
const MOST_MS = 1_500;
/** Half of the requests wait for nobody. */
const USUAL_MS = 250;
const LOAD_MS = 4_000;

let app: TestApp;
let service: ServiceProcess;
let calls: AgentCalls;
let model: ScriptedModel;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  service = await ServiceProcess.spawn({
    DATABASE_URL: app.databaseUrl,
    PLATFORM_SECRET_KEY: app.secretKey,
    PLATFORM_DATA_DIR: app.dataDir,
  });
  calls = await AgentCalls.make(app, { baseUrl: model.url });
  await service.ready();
});
afterAll(async () => {
  await service.kill();
  await app.close();
  await model.close();
});

/** A turn of the user whose stream has so many bytes more, in rows as they are stored while it runs. */
async function longTurn(user: TestUser, bytes: number): Promise<string> {
  const turnId = randomUUID();
  await calls.by(user).stream({ contents: said('Hi'), turnId });
  await app.settle();
  const rowBytes = 1024;
  await app.sql(
    `with s as (
       select g.stream_id as id, 1000 + (select max(to_seq) from stream_frame f where f.stream_id = g.stream_id) as seq
       from turn_segment g join turn t on t.id = g.turn_id where t.client_turn_id = $1
     ), longer as (
       update stream set last_seq = s.seq + $2 from s where stream.id = s.id
     )
     insert into stream_frame (stream_id, from_seq, to_seq, data)
     select s.id, case when n = 1 then s.seq - 999 else s.seq + n end, s.seq + n,
       convert_to(format(E'id: 1.%s\\ndata: %s\\n\\n', s.seq + n, repeat('x', $3)), 'utf8')
     from s, generate_series(1, $2::int) n`,
    [turnId, bytes / rowBytes, rowBytes - 20],
  );
  return `${calls.path}/turns/${turnId}/stream`;
}

/** So many come, one after the other, within some seconds. */
async function come(count: number, attach: (i: number) => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    attach(i);
    if (i % 10 === 9) await delay(50);
  }
}

describe('nobody waits for readers', () => {
  it('200 readers that never read', async () => {
    const { admin, member } = app;
    const path = await longTurn(member, 16 * MB);
    const readers = new SlowReaders(service.url);
    try {
      const waits = await measureBystander({ url: service.url, apiKey: admin.apiKey }, async () => {
        await come(200, () => readers.attach(path, member.apiKey));
        await delay(LOAD_MS);
      });
      expect(waits.failures).toEqual([]);
      expect(waits.p50).toBeLessThan(USUAL_MS * waits.slowness);
      expect(waits.p95).toBeLessThan(MOST_MS * waits.slowness);
      expect(readers.alive).toBe(200);
    } finally {
      readers.close();
    }
  });

  it('600 readers of three users at 4 KB/s', async () => {
    const users = [app.member, await app.addUser('MEMBER'), await app.addUser('MEMBER')];
    const readers = new SlowReaders(service.url);
    const paths = await Promise.all(users.map((user) => longTurn(user, 16 * MB)));
    try {
      const waits = await measureBystander({ url: service.url, apiKey: app.admin.apiKey }, async () => {
        await come(600, (i) => readers.attach(paths[i % 3] ?? '', users[i % 3]?.apiKey ?? ''));
        await readers.read(4096, LOAD_MS);
      });
      expect(waits.failures).toEqual([]);
      expect(waits.p50).toBeLessThan(USUAL_MS * waits.slowness);
      expect(waits.p95).toBeLessThan(MOST_MS * waits.slowness);
      expect(readers.alive).toBe(600);
    } finally {
      readers.close();
    }
  });
});
