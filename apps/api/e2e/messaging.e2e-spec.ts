import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { RedisServer } from './harness/redis.ts';

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`The service is not tested with Redis: ${skipReason}`);

(skipReason ? it.skip : it)(
  'is ready without its Redis, tells so, and takes it up when it comes',
  async () => {
    const redis = await RedisServer.down();
    const app = await TestApp.start({ env: { REDIS_URL: redis.url } });
    const ready = () => app.request('GET', '/api/health/ready', { as: null });
    try {
      const checks = { database: 'up', messaging: 'down', service: 'up' };
      expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok', checks } });
      await redis.start();
      await eventually(async () =>
        expect((await ready()).body.checks).toEqual({ ...checks, messaging: 'up' }),
      );
    } finally {
      await app.close();
      await redis.kill();
    }
  },
);
