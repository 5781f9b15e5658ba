import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { jest } from '@jest/globals';
import { eventually } from '../../../e2e/harness/eventually.ts';
import { RedisServer } from '../../../e2e/harness/redis.ts';
import { WorkTable } from '../../../e2e/harness/work-table.ts';
import { PlatformConfig, readConfig } from '../config/platform-config.ts';
import { HINT_KINDS, MAX_WAITING, Messaging, type HintKind } from './messaging.ts';
import { MessagingModule } from './messaging.module.ts';
import { OutboxPublishersRegistry } from './outbox-publishers.registry.ts';

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`Messaging is not tested on Redis: ${skipReason}`);

/** The longest that a publisher is delayed. */
const PUBLISH_MS = 300;

type Role = 'all' | 'api' | 'worker';

interface Service {
  messaging: Messaging;
  relay: OutboxPublishersRegistry;
  close(): Promise<void>;
}

const isAnyDue = () => Promise.resolve(true);
const running = new Set<Service>();

@Module({})
class Shared {}

/** The messaging of one process of the service. */
async function serve(redisUrl: string | null, role: Role = 'all'): Promise<Service> {
  const config = readConfig({
    DATABASE_URL: 'postgres://127.0.0.1/unused',
    PLATFORM_SECRET_KEY: 'ab'.repeat(32),
    PLATFORM_ROLE: role,
    REDIS_URL: redisUrl ?? '',
  });
  const shared = {
    module: Shared,
    global: true,
    imports: [MessagingModule.with(config)],
    providers: [{ provide: PlatformConfig, useValue: config }],
    exports: [PlatformConfig],
  };

  const app = await NestFactory.createApplicationContext(shared, { logger: false });
  const service = {
    messaging: app.get(Messaging),
    relay: app.get(OutboxPublishersRegistry),
    close: async () => {
      if (running.delete(service)) await app.close();
    },
  };
  running.add(service);
  return service;
}

const answering = ({ messaging }: Service) =>
  eventually(async () => expect(messaging.getState()).not.toBe('down'));

/**
 * Whether publishers go on in time. Timers of different lengths can fire in another order if the process was busy, but all
 * that are due fire before an immediate, so this holds on a busy machine as well.
 */
const inTime = (publishing: Promise<void>) => {
  const late = delay(PUBLISH_MS + 1).then(() => immediate('late'));
  return Promise.race([publishing.then(() => 'published'), late]);
};

/** Ids in alphabetical order. */
const numbered = (count: number, prefix = 'row') =>
  Array.from({ length: count }, (_, i) => `${prefix}-${String(i).padStart(5, '0')}`);

afterEach(async () => {
  await Promise.all([...running].map((service) => service.close()));
});

const transports = [
  { name: 'in-process', prepare: async () => null },
  { name: 'bull', prepare: () => RedisServer.start() },
];
const available = skipReason ? transports.slice(0, 1) : transports;

describe.each(available)('Messaging: $name', ({ name, prepare }) => {
  let redis: RedisServer | null;

  beforeAll(async () => {
    redis = await prepare();
  });
  afterEach(() => redis?.command('flushall'));
  afterAll(() => redis?.kill());

  async function start(role?: Role): Promise<Service> {
    const service = await serve(redis?.url ?? null, role);
    await answering(service);
    return service;
  }

  it('tells its state', async () => {
    const { messaging } = await start();
    expect(messaging.getState()).toBe(name === 'bull' ? 'up' : 'in-process');
  });

  it('brings every hint to the handler of its kind', async () => {
    const { messaging } = await start();
    const handled = new Map<HintKind, string[]>();
    for (const kind of HINT_KINDS) {
      const ids: string[] = [];
      handled.set(kind, ids);
      messaging.consume(kind, async (id) => void ids.push(id));
    }
    await Promise.all(HINT_KINDS.map((kind) => messaging.publish(kind, numbered(200, kind))));
    await messaging.publish('job', []);
    await eventually(async () => {
      for (const kind of HINT_KINDS) expect(handled.get(kind)?.sort()).toEqual(numbered(200, kind));
    });
  });

  it('has one consumer per kind and process', async () => {
    const { messaging } = await start();
    messaging.consume('job', async () => {});
    expect(() => messaging.consume('job', async () => {})).toThrow('already have a consumer');
  });

  it('runs as many handlers at once as requested, and not one more', async () => {
    const { messaging } = await start();
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    let runningNow = 0;
    let most = 0;
    let done = 0;
    const handler = async () => {
      most = Math.max(most, ++runningNow);
      await gate;
      await delay(1);
      runningNow -= 1;
      done += 1;
    };
    messaging.consume('job', handler, { concurrency: 3 });
    await messaging.publish('job', numbered(20));
    await eventually(async () => expect(runningNow).toBe(3));
    open(undefined);
    await eventually(async () => expect(done).toBe(20));
    expect(most).toBe(3);
  });

  it('goes on after a handler that failed, and the relay brings its row again', async () => {
    const { messaging, relay } = await start();
    const table = new WorkTable(messaging, { firstDelayMs: 50 });
    table.failOnce('row-00003');
    messaging.consume('job', table.work, { concurrency: 2 });
    relay.register(table);
    await table.add(numbered(10));
    await eventually(async () => expect(table.effects()).toEqual(numbered(10)));
    expect(table.attempts('row-00003')).toBeGreaterThan(1);
  });

  it('loses nothing to a consumer that comes late', async () => {
    const { messaging, relay } = await start();
    const table = new WorkTable(messaging, { firstDelayMs: 50 });
    await table.add(numbered(20));
    relay.register(table);
    await delay(100);
    messaging.consume('job', table.work);
    await eventually(async () => expect(table.effects()).toEqual(numbered(20)));
  });

  it('has the effect once, however often and in whatever order the hint comes, also as another kind', async () => {
    const { messaging, relay } = await start();
    const tables = HINT_KINDS.map((kind) => new WorkTable(messaging, { kind }));
    for (const table of tables) {
      messaging.consume(table.kind, table.work);
      // A busy Redis drops hints.
      relay.register(table);
    }
    for (const table of tables) await table.add(numbered(30, table.kind));
    for (const { kind } of tables) {
      for (let i = 0; i < 4; i++) await messaging.publish(kind, numbered(30, kind).reverse());
      for (const other of HINT_KINDS) await messaging.publish(kind, numbered(3, other));
      await messaging.publish(kind, ['nobody-knows-it', 'last']);
    }
    for (const table of tables) await table.add(['last']);
    await eventually(async () => {
      for (const table of tables)
        expect(table.effects()).toEqual([...numbered(30, table.kind), 'last'].sort());
    });
    for (const table of tables) expect(table.attempts('nobody-knows-it')).toBe(0);
  });

  it('carries from a process that only serves to those that work, each hint to one of them', async () => {
    const api = await start('api');
    const workers = [await start('worker'), await start('worker')];
    const table = new WorkTable(api.messaging);
    api.messaging.consume('job', () => Promise.reject(new Error('an api process does not work')));
    const idle = new WorkTable(api.messaging);
    api.relay.register(idle);
    for (const { messaging, relay } of workers) {
      messaging.consume('job', table.work);
      relay.register(table);
    }
    await table.add(numbered(100));
    await eventually(async () => expect(table.effects()).toEqual(numbered(100)));
    expect(idle.looks).toBe(0);
  });

  it('drops what exceeds the room instead of piling it up, and the rows find their way', async () => {
    const { messaging, relay } = await start();
    const table = new WorkTable(messaging, { firstDelayMs: 1_000 });
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    messaging.consume('job', async (id) => {
      await gate;
      await table.work(id);
    });
    const ids = numbered(MAX_WAITING + 700);
    for (let i = 0; i < ids.length; i += 200) await table.add(ids.slice(i, i + 200));
    expect(messaging.countPlaces('job')).toBe(0);
    open(undefined);
    relay.register(table);
    await eventually(async () => expect(table.count()).toBe(ids.length));
    expect(messaging.countPlaces('job')).toBeGreaterThan(0);
  });

  it('takes no rows that it cannot publish, because each would wait longer', async () => {
    const { messaging, relay } = await start();
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    const handled = new Set<string>();
    const handler = async (id: string) => {
      await gate;
      handled.add(id);
    };
    messaging.consume('job', handler, { concurrency: 1 });
    await messaging.publish('job', numbered(MAX_WAITING - 32, 'other'));
    // Each can be taken once.
    const ids = numbered(1_000);
    const due = [...ids];
    const takeDue = (limit: number) => Promise.resolve(due.splice(0, limit));
    relay.register({ kind: 'job', isAnyDue, takeDue, expedite: () => Promise.resolve(0) });
    await delay(100);
    open(undefined);
    await eventually(async () => expect(ids.filter((id) => !handled.has(id))).toEqual([]));
  });

  it('leaves to others what a process that ends has not begun', async () => {
    const next = await start();
    const handled = new Set<string>();
    next.messaging.consume('job', async (id) => void handled.add(id));
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) {
      const ending = await start();
      ending.messaging.consume('job', async (id) => void handled.add(id));
      // What keeps a process for a moment when it ends, as running turns do.
      const { promise: drained, resolve: drain } = Promise.withResolvers<string[]>();
      ending.relay.register({
        kind: 'webhook',
        isAnyDue,
        takeDue: () => drained,
        expedite: () => Promise.resolve(0),
      });
      const closing: Promise<void>[] = [];
      for (let i = 0; i < 200; i++) {
        if (i === 50) closing.push(ending.close());
        const id = `${round}-${i}`;
        ids.push(id);
        await next.messaging.publish('job', [id]);
      }
      drain([]);
      await Promise.all(closing);
    }
    // Before Bull gives back what it believes to have stalled, after half a minute.
    await eventually(async () => expect(ids.filter((id) => !handled.has(id))).toEqual([]), 10_000);
  });

  it('handles nothing more once the process ends', async () => {
    const ending = await start();
    const table = new WorkTable(ending.messaging);
    ending.messaging.consume('job', table.work);
    ending.relay.register(table);
    await table.add(numbered(3));
    await eventually(async () => expect(table.count()).toBe(3));
    await ending.close();

    const next = await start();
    await table.add(numbered(5, 'later'), next.messaging);
    expect(table.count()).toBe(3);
    next.messaging.consume('job', table.work);
    next.relay.register(table);
    await eventually(async () => expect(table.count()).toBe(8));
  });
});

(skipReason ? describe.skip : describe)('Messaging on a Redis in trouble', () => {
  let redis: RedisServer;

  beforeEach(async () => {
    redis = await RedisServer.down();
  });
  afterEach(() => redis.kill());

  async function startWith(table: (messaging: Messaging) => WorkTable) {
    const service = await serve(redis.url);
    const work = table(service.messaging);
    service.messaging.consume('job', work.work);
    service.relay.register(work);
    return { ...service, table: work };
  }

  it('serves without Redis, does not poll meanwhile, and catches up when Redis comes', async () => {
    const { messaging, table } = await startWith((m) => new WorkTable(m, { firstDelayMs: 0 }));
    await table.add(numbered(50));
    await delay(1_500);
    expect(messaging.getState()).toBe('down');
    expect(table.looks).toBe(0);
    await redis.start();
    await eventually(async () => expect(table.effects()).toEqual(numbered(50)));
    expect(messaging.getState()).toBe('up');
  });

  it.each([
    ['FLUSHALL', () => redis.command('flushall')],
    ['a restart that forgets', () => redis.restart()],
  ])('loses none of 1,000 rows to %s in the middle', async (_, harm) => {
    await redis.start();
    const { table } = await startWith((m) => new WorkTable(m, { workMs: 2, firstDelayMs: 600_000 }));
    // From here on, the outbox publisher publishes lost hints only when the test calls it.
    await eventually(async () => expect(table.looks).toBeGreaterThan(0));
    for (let i = 0; i < 10; i++) {
      await table.add(numbered(100, `batch-${i}`));
      if (i % 3 === 1) await harm();
    }
    await eventually(async () => expect(table.count()).toBe(1_000));
    expect(table.effects()).toHaveLength(1_000);
  });

  it('holds no publisher up while Redis hangs, and piles nothing up for it', async () => {
    await redis.start();
    const api = await serve(redis.url, 'api');
    await answering(api);
    const table = new WorkTable(api.messaging);
    redis.hang();
    for (let burst = 0; burst < 150; burst++) {
      const added = numbered(20, `burst-${burst}`).map((id) => inTime(table.add([id])));
      expect(new Set(await Promise.all(added))).toEqual(new Set(['published']));
    }
    expect(api.messaging.getState()).toBe('down');
    redis.goOn();
    await answering(api);
    // The server finds what was sent before the first of them gave up, not what came after.
    expect(await redis.command('llen', 'platform:job:wait')).toBeLessThanOrEqual(20);

    const worker = await serve(redis.url, 'worker');
    worker.messaging.consume('job', table.work);
    worker.relay.register(table);
    await eventually(async () => expect(table.count()).toBe(3_000));
  });

  it.each([
    ['hangs', 'hang'],
    ['is dead', 'kill'],
  ] as const)('publishes within 300 ms while Redis %s', async (_, harm) => {
    await redis.start();
    const { messaging } = await serve(redis.url, 'api');
    await eventually(async () => expect(messaging.getState()).toBe('up'));
    // One that succeeds, so that the queue is open and its script is known.
    await messaging.publish('job', ['before']);
    if (harm === 'hang') redis.hang();
    else await redis.kill();
    const outcomes = await Promise.all(numbered(50).map((id) => inTime(messaging.publish('job', [id]))));
    expect(new Set(outcomes)).toEqual(new Set(['published']));
    expect(messaging.getState()).toBe('down');
  });

  it('takes a full Redis for an outage, until there is room', async () => {
    await redis.start();
    const { messaging, table } = await startWith((m) => new WorkTable(m));
    await eventually(async () => expect(messaging.getState()).toBe('up'));
    await redis.command('config', 'set', 'maxmemory', 1);
    await table.add(numbered(5));
    await eventually(async () => expect(messaging.getState()).toBe('down'));
    await table.add(numbered(5, 'meanwhile'));
    await redis.command('config', 'set', 'maxmemory', 0);
    await eventually(async () => expect(table.count()).toBe(10));
  });

  it('leaves hints that find no place in a process to the others', async () => {
    await redis.start();
    const busy = await serve(redis.url);
    const idle = await serve(redis.url);
    await answering(busy);
    await answering(idle);
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    const handled: string[] = [];
    const ids = numbered(20);
    const begun: string[] = [];
    busy.messaging.consume('job', (id) => (begun.push(id), gate), { concurrency: 1 });
    await busy.messaging.publish('job', ids);
    await eventually(async () => expect(begun).toHaveLength(1));
    idle.messaging.consume('job', async (id) => void handled.push(id));
    await eventually(async () => expect([...begun, ...handled].sort()).toEqual(ids));
    expect(begun).toHaveLength(1);
    open(undefined);
  });

  it('warns where Redis may evict hints', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    await redis.start();
    await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    await answering(await serve(redis.url));
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('set maxmemory-policy to noeviction'));
    warn.mockRestore();
  });

  it('connects again when connections were cut that had just been opened', async () => {
    const [, port] = /:(\d+)$/.exec(redis.url) ?? [];
    let opened = 0;
    const proxy = createServer((socket) => {
      opened += 1;
      socket.on('error', () => {}).once('data', () => socket.destroy());
      // Whatever is sent first, or nothing.
      setImmediate(() => socket.destroy());
    }).listen(Number(port), '127.0.0.1');
    await once(proxy, 'listening');
    const { messaging, table } = await startWith((m) => new WorkTable(m));
    await eventually(async () => expect(opened).toBeGreaterThan(4));
    proxy.close();
    await once(proxy, 'close');
    await redis.start();
    await table.add(numbered(5));
    await eventually(async () => expect(table.count()).toBe(5));
    await eventually(async () => expect(messaging.getState()).toBe('up'));
  });

  it('subscribes to nothing: whoever is refused to subscribe again cannot handle it', async () => {
    await redis.start();
    const { table } = await startWith((m) => new WorkTable(m));
    await table.add(numbered(5));
    await eventually(async () => expect(table.count()).toBe(5));
    const stats = await redis.command('info', 'commandstats');
    expect(stats).toContain('cmdstat_brpoplpush');
    expect(stats).not.toContain('cmdstat_subscribe');
  });

  it('ends cleanly while Redis is away', async () => {
    await redis.start();
    const service = await startWith((m) => new WorkTable(m));
    await answering(service);
    await redis.kill();
    await eventually(async () => expect(service.messaging.getState()).toBe('down'));
    await service.close();
  });
});
