import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Messaging, type HintKind } from '../../src/infra/messaging/messaging.ts';
import { eventually } from '../harness/eventually.ts';
import { seededRandom } from '../harness/random.ts';
import type { RedisServer } from '../harness/redis.ts';
import { Fleet } from './fleet.ts';
import type { LedgerEntry } from './ledger.ts';
import { judge, settle } from './referee.ts';
import { hasRedis, scaled } from './scale.ts';

jest.setTimeout(1_200_000);

const random = seededRandom();

function redisOf({ redis }: Fleet): RedisServer {
  if (redis === null) throw new Error('This fleet has no Redis');
  return redis;
}

const statusesOf = (sent: LedgerEntry[]) => [
  ...new Set(sent.flatMap(({ answers }) => answers.map(({ status }) => status))),
];

const p99 = (sent: LedgerEntry[]) => {
  const times = sent.flatMap(({ answers }) => answers.map(({ ms }) => ms)).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
};

(hasRedis ? describe : describe.skip)('Redis', () => {
  let fleet: Fleet;

  afterEach(() => fleet.close());

  it('F2: is away when the service starts, and comes later', async () => {
    fleet = await Fleet.start({ transport: 'bull', withoutRedis: true });
    const world = await fleet.install('late');
    await world.subscribeUsual();
    const sent = await fleet.emitter(world).load({ count: 300, perSecond: 100, random });
    expect(statusesOf(sent)).toEqual([200]);
    expect(await fleet.app.sql(`select id from envelope where status <> 'PENDING'`)).toEqual([]);
    await redisOf(fleet).start();
    console.info('F2', await judge(fleet));
  });

  it.each<{ moment: string; kind: HintKind; flushBefore: boolean }>([
    { moment: 'the record and its hint', kind: 'envelope', flushBefore: true },
    { moment: 'the hint and its consumption', kind: 'envelope', flushBefore: false },
    { moment: 'the dispatch and the hints of its runs', kind: 'run', flushBefore: true },
    { moment: 'the hint of a run and its consumption', kind: 'run', flushBefore: false },
  ])('F4: FLUSHALL between $moment', async ({ kind, flushBefore }) => {
    const times = scaled('FAULT_FLUSHES', { quick: 200, slow: 200 });
    fleet = await Fleet.start({ transport: 'bull', processes: 1 });
    // This one works too, and loses its hints.
    const flushed = await fleet.join();
    let count = 0;
    for (const app of [fleet.app, flushed]) {
      const messaging = app.get(Messaging as Type<Messaging>);
      const publish = messaging.publish.bind(messaging);
      messaging.publish = async (of, ids) => {
        if (of === kind && flushBefore) await redisOf(fleet).command('flushall');
        await publish(of, ids);
        if (of === kind && !flushBefore) await redisOf(fleet).command('flushall');
        if (of === kind && ids.length > 0) count++;
      };
    }
    const world = await fleet.install('flushed');
    await world.subscribeUsual();
    const emitter = fleet.emitter(world, () => [fleet.app.url, flushed.url]);
    while (count < times) await emitter.load({ count: 20, random, atOnce: 4 });
    console.info(`F4, ${kind}: flushed ${count} times`, await judge(fleet));
    await flushed.close();
  });

  it('F5: hangs, and goes on', async () => {
    fleet = await Fleet.start({ transport: 'bull' });
    const world = await fleet.install('hanging');
    await world.subscribeUsual();
    await fleet.emitter(world).load({ count: 50, random });
    await settle(fleet);
    redisOf(fleet).hang();
    const seconds = scaled('FAULT_HANG_SECONDS', { quick: 30, slow: 30 });
    const sent = await fleet.emitter(world).load({ count: seconds * 100, perSecond: 100, random });
    expect(statusesOf(sent)).toEqual([200]);
    console.info(`F5: p99 ${p99(sent)} ms while Redis hangs`);
    expect(p99(sent)).toBeLessThan(1_000);
    redisOf(fleet).goOn();
    console.info('F5', await judge(fleet));
  });

  it('F8: is full', async () => {
    fleet = await Fleet.start({ transport: 'bull' });
    const world = await fleet.install('full');
    await world.subscribeUsual();
    await fleet.emitter(world).load({ count: 50, random });
    await redisOf(fleet).command('config', 'set', 'maxmemory', 1);
    const sent = await fleet.emitter(world).load({ count: 500, perSecond: 100, random });
    expect(statusesOf(sent)).toEqual([200]);
    for (const url of fleet.urls) {
      const ready = await fetch(`${url}/api/health/ready`);
      expect(await ready.json()).toMatchObject({ checks: { messaging: 'down' } });
    }
    await redisOf(fleet).command('config', 'set', 'maxmemory', 0);
    console.info('F8', await judge(fleet));
  });

  it('F10: takes a worker for dead whose thread is blocked, and gives its hints to another', async () => {
    const lease = { PLATFORM_RUN_LEASE_MS: '5000' };
    fleet = await Fleet.start({ transport: 'bull', processes: 1, env: lease });
    const world = await fleet.install('blocked');
    const ms = scaled('FAULT_BLOCK_MS', { quick: 70_000, slow: 70_000 });
    const blocking = await world.subscribe('blocking', { input: { ms, isBlocking: true } });
    const [first] = fleet.members;
    await fleet.emitter(world).emit(world.payload(random));
    await eventually(async () => expect(await fleet.sink.effects(blocking.label)).toHaveLength(1));
    const second = await fleet.add();
    blocking.enabled = false;
    await fleet.app.request('PATCH', `/api/events/subscriptions/${blocking.subscriptionId}`, {
      body: { enabled: false },
    });
    await world.subscribe('all');
    for (const entry of fleet.ledger.entries) entry.isUndecided = true;
    await fleet.emitter(world, () => [second.url]).load({ count: 200, random });
    await delay(ms);
    console.info('F10', await judge(fleet));
    expect(first?.hasEnded).toBe(false);
    expect(await fleet.app.sql('select status from run where task_id = $1', [blocking.taskId])).toEqual([
      { status: 'INTERRUPTED' },
    ]);
  });
});
