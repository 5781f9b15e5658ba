import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../../e2e/harness/eventually.ts';
import { RedisServer } from '../../../e2e/harness/redis.ts';
import { BullMessaging } from './bull-messaging.ts';

/** What the service sends to Redis, and what the scripts of Bull call there. */
const COMMANDS =
  `info eval evalsha brpoplpush subscribe set get llen multi exec exists incr hmset hset hget hgetall lpush lrem
  lrange rpoplpush del publish srem smembers zrem zrange zrangebyscore`.split(/\s+/);
const LIMIT_MS = 30_000;

(process.env.PLATFORM_SKIP_REDIS ? describe.skip : describe)('BullMessaging, refused by Redis', () => {
  let redis: RedisServer;
  let messaging: BullMessaging;
  const rejections: unknown[] = [];
  const note = (error: unknown) => {
    rejections.push(error);
  };
  let handled = 0;

  beforeAll(async () => {
    process.on('unhandledRejection', note);
    redis = await RedisServer.start();
    await redis.command('acl', 'setuser', 'operator', 'on', 'nopass', '+@all', '~*', '&*');
    await redis.command('auth', 'operator', 'any');
    messaging = new BullMessaging(redis.url, true);
    messaging.onApplicationBootstrap();
    messaging.consume('job', async () => {
      handled += 1;
    });
  });
  afterAll(async () => {
    process.off('unhandledRejection', note);
    messaging.onModuleDestroy();
    await messaging.onApplicationShutdown();
    await redis.kill();
  });

  const works = async () => {
    const before = handled;
    await eventually(async () => {
      await messaging.publish('job', ['some']);
      expect(handled).toBeGreaterThan(before);
    }, LIMIT_MS);
  };

  it.each(COMMANDS)('survives the refusal of %s, also for connections that are cut', async (command) => {
    await works();
    await redis.command('acl', 'setuser', 'default', `-${command}`);
    for (let i = 0; i < 3; i++) {
      await messaging.publish('job', ['refused']);
      await redis.command('client', 'kill', 'user', 'default');
      await delay(100);
      await messaging.publish('job', ['after the cut']);
    }
    await redis.command('acl', 'setuser', 'default', `+${command}`);
    await works();
    expect(rejections).toEqual([]);
  });
});
