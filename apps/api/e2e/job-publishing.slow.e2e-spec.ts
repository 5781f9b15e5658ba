import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Messaging } from '../src/infra/messaging/messaging.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { JobCalls } from './harness/job-calls.ts';
import { RedisServer } from './harness/redis.ts';

/** The longest that publishing delays a caller. */
const PUBLISH_MS = 300;

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`Jobs are not tested on Redis: ${skipReason}`);

(skipReason ? describe.skip : describe)('jobs over Redis', () => {
  it('are accepted as fast as usual while it is frozen, killed, or full of unknown ids', async () => {
    const redis = await RedisServer.start();
    const service = await TestApp.start({ env: { REDIS_URL: redis.url } });
    try {
      const own = new JobCalls(service);
      const { agentId } = await AgentCalls.make(service);
      const messaging = service.get(Messaging as Type<Messaging>);
      await eventually(async () => expect(messaging.getState()).toBe('up'));
      const delayed: string[] = [];
      const publish = messaging.publish.bind(messaging);
      const published = jest.spyOn(messaging, 'publish').mockImplementation(async (kind, ids) => {
        // Timers of one process fire in their order, however busy the machine is.
        const late = setTimeout(() => delayed.push(kind), PUBLISH_MS + 1);
        await publish(kind, ids);
        clearTimeout(late);
      });
      /** How long one of a hundred takes, four at a time. Not the slowest: a machine that pauses delays a few of them. */
      const median = async () => {
        const times: number[] = [];
        const takeJobs = async () => {
          for (let i = 0; i < 25; i++) {
            const begin = performance.now();
            await own.start({ agentId, contents: said('Hello') });
            times.push(performance.now() - begin);
          }
        };
        await Promise.all(Array.from({ length: 4 }, takeJobs));
        return times.sort((a, b) => a - b)[times.length >> 1] ?? Infinity;
      };
      await median();
      const usual = await median();
      const forged = Array.from({ length: 5_000 }, (_, i) => (i % 2 ? randomUUID() : `nobody ${i}`));
      await messaging.publish('job', forged);
      const amongForged = await median();
      redis.hang();
      const hanging = await median();
      redis.goOn();
      await eventually(async () => expect(messaging.getState()).toBe('up'));
      await redis.kill();
      const dead = await median();
      const told = { usual, amongForged, hanging, dead };
      console.info(
        `The median of a hundred: ${Object.entries(told)
          .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
          .join(', ')}`,
      );
      // Publishing is all that a start has to do with Redis.
      expect(published.mock.calls.length).toBeGreaterThan(500);
      expect(delayed).toEqual([]);
      // A few calls may wait for the publishing that finds out; the others do not try.
      const most = 3 * usual + 500;
      expect([amongForged, hanging, dead].filter((ms) => ms > most)).toEqual([]);
    } finally {
      await service.close();
      await redis.kill();
    }
  });
});
