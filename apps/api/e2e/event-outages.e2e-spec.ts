import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Messaging } from '../src/infra/messaging/messaging.ts';
import { repeat } from './faults/background.ts';
import { Fleet } from './faults/fleet.ts';
import { judge, settle } from './faults/referee.ts';
import { LIMIT_MS, hasRedis, scaled } from './faults/scale.ts';
import type { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

const EVENTS = scaled('FAULT_EVENTS', { quick: 150, slow: 500, faults: 5_000 });
const OUTAGE_MS = scaled('FAULT_OUTAGE_MS', { quick: 2_000, slow: 6_000, faults: 60_000 });
const PER_SECOND = 100;
const random = seededRandom();

(hasRedis ? describe : describe.skip)('events on a Redis in trouble', () => {
  let fleet: Fleet;

  let second: TestApp;

  beforeAll(async () => {
    // One process shows that no outage ends it; the second service need not have one, which takes seconds to start.
    fleet = await Fleet.start({ transport: 'bull', processes: 1 });
    second = await fleet.join();
  });
  afterAll(async () => {
    await second.close();
    await fleet.close();
  });

  const redis = () => {
    if (fleet.redis === null) throw new Error('This fleet has no Redis');
    return fleet.redis;
  };
  const countOf = async (status: string) => {
    const [row] = await fleet.app.sql<{ count: number }>(
      'select count(*)::int as count from envelope where status = $1',
      [status],
    );
    return row?.count ?? 0;
  };

  verifies(
    ['event.guarantee.outage', 'event.guarantee.stored', 'event.guarantee.complete'],
    'F1: Redis is away for a while: every emission is accepted and stays PENDING, and is dispatched soon after',
    async () => {
      const world = await fleet.install('outage');
      await world.subscribeUsual();
      const emitter = fleet.emitter(world);
      await emitter.load({ count: 20, random });
      await settle(fleet);

      await redis().kill();
      // A process notices the outage with its first hint.
      await emitter.load({ count: 20, random });
      await delay(1_000);
      const pending = await countOf('PENDING');
      const startedAt = performance.now();
      const sent = await emitter.load({ count: EVENTS, perSecond: PER_SECOND, random });
      await delay(Math.max(0, startedAt + OUTAGE_MS - performance.now()));
      expect(sent.filter(({ answers }) => answers.length > 1 || answers[0]?.status !== 200)).toEqual([]);
      expect(await countOf('PENDING')).toBe(pending + EVENTS);
      const times = sent.map(({ answers }) => answers[0]?.ms ?? Infinity).sort((a, b) => a - b);
      console.info(
        `F1: p50 ${times[times.length >> 1]} ms, p99 ${times[Math.floor(times.length * 0.99)]} ms`,
      );

      await redis().start();
      const back = performance.now();
      await eventually(async () => expect(await countOf('PENDING')).toBeLessThan(pending + EVENTS), 30_000);
      console.info(`F1: the first event is dispatched after ${Math.round(performance.now() - back)} ms`);
      console.info('F1', await judge(fleet));
    },
  );

  verifies(
    ['event.guarantee.outage', 'event.guarantee.single'],
    'F3: FLUSHALL again and again during emissions',
    async () => {
      const world = await fleet.install('flushed');
      await world.subscribeUsual();
      const before = fleet.members.map(({ pid }) => pid);
      const flushing = repeat(
        () => redis().command('flushall'),
        () => 300 + random(700),
      );
      await fleet.emitter(world).load({ count: EVENTS, perSecond: PER_SECOND, random });
      await flushing.stop();
      console.info('F3', await judge(fleet));
      expect(fleet.members.map(({ pid }) => pid)).toEqual(before);
      expect(fleet.members.map(({ ending }) => ending)).toEqual([null]);
    },
  );

  verifies(
    ['event.guarantee.single', 'event.redelivered'],
    'F9: hints that come several times, shuffled, late, forged, or for another kind fire nothing more',
    async () => {
      const world = await fleet.install('repeated');
      await world.subscribeUsual();
      const messaging = fleet.app.get(Messaging as Type<Messaging>);
      await eventually(async () => expect(messaging.getState()).toBe('up'));
      const shuffled = (ids: string[]) =>
        ids.flatMap((id) => Array.from({ length: 1 + random(5) }, () => id)).sort(() => random(3) - 1);
      const sent = await fleet.emitter(world).load({ count: 200, random });
      const envelopes = sent.flatMap(({ answers }) => answers[0]?.envelopeId ?? []);
      await messaging.publish('envelope', shuffled(envelopes));
      await messaging.publish('run', shuffled(envelopes));
      await settle(fleet);
      const runs = await fleet.app.sql<{ id: string }>('select id from run');
      const ids = runs.map(({ id }) => id);
      const before = await judge(fleet);

      // Long after everything has ended.
      await messaging.publish('envelope', shuffled(envelopes));
      await messaging.publish('run', shuffled(ids));
      await messaging.publish('envelope', shuffled(ids.slice(0, 100)));
      const forged = Array.from({ length: 20 }, () => crypto.randomUUID());
      for (const kind of ['envelope', 'run', 'job', 'webhook'] as const)
        await messaging.publish(kind, [
          ...forged,
          fleet.app.outsider.spaceId,
          'no-uuid',
          '',
          "'; drop table run; --",
        ]);
      for (const kind of ['envelope', 'run'])
        await eventually(async () => {
          expect(await redis().command('llen', `platform:${kind}:wait`)).toBe(0);
          expect(await redis().command('llen', `platform:${kind}:active`)).toBe(0);
        });
      expect(await judge(fleet)).toEqual(before);
      expect(fleet.members.map(({ ending }) => ending)).toEqual([null]);

      // And the consumers still work.
      await fleet.emitter(world).load({ count: 20, random });
      console.info('F9', await judge(fleet));
    },
  );
});
