import { Redis } from 'ioredis';
import { RedisServer } from '../../../e2e/harness/redis.ts';
import { isOfRedis } from './redis-errors.ts';

const errorOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

describe('isOfRedis', () => {
  it('leaves the errors of others alone', () => {
    expect(isOfRedis(new Error('ReplyError: of node_modules/ioredis/'))).toBe(false);
    expect(isOfRedis(new Error('ReplyError: of /node_modules/ioredis/'))).toBe(false);
    expect(isOfRedis('Connection is closed.')).toBe(false);
    expect(isOfRedis(undefined)).toBe(false);
  });

  (process.env.PLATFORM_SKIP_REDIS ? it.skip : it)('knows what the client rejects with', async () => {
    const server = await RedisServer.start();
    const redis = new Redis(server.url, { retryStrategy: () => null, commandTimeout: 50 });
    redis.on('error', () => {});
    try {
      expect(isOfRedis(await errorOf(redis.call('no-command')))).toBe(true);
      expect(isOfRedis(await errorOf(redis.call('no-command', '/a/file')))).toBe(true);
      expect(isOfRedis(await errorOf(redis.eval("return redis.call('lpush')", 0)))).toBe(true);
      server.hang();
      expect(isOfRedis(await errorOf(redis.ping()))).toBe(true);
      server.goOn();
      await server.kill();
      expect(isOfRedis(await errorOf(redis.ping()))).toBe(true);
    } finally {
      redis.disconnect();
      await server.kill();
    }
  });
});
