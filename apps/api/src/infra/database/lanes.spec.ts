import { readConfig } from '../config/platform-config.ts';
import { Lanes } from './lanes.ts';
import { isUnavailable } from './unavailable.ts';

const config = readConfig({
  DATABASE_URL: 'postgres://127.0.0.1/unused',
  PLATFORM_SECRET_KEY: 'ab'.repeat(32),
  PLATFORM_DATABASE_POOL: '4',
  PLATFORM_DATABASE_CONNECT_MS: '200',
});

describe('lanes', () => {
  it('let half of the pool work for one key, the others one after the other, and nobody wait for another key', async () => {
    const lanes = new Lanes(config);
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<string>());
    const begun: number[] = [];
    const works = gates.map(({ promise }, i) =>
      lanes.run('a', () => {
        begun.push(i);
        return promise;
      }),
    );
    expect(await lanes.run('b', async () => 'at once')).toBe('at once');
    expect(begun).toEqual([0, 1]);
    for (const [i, { resolve }] of gates.entries()) {
      resolve(`done ${i}`);
      expect(await works[i]).toBe(`done ${i}`);
    }
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('fail those who waited too long as if the database was away, and go on', async () => {
    const lanes = new Lanes(config);
    const { promise, resolve } = Promise.withResolvers<string>();
    const held = [lanes.run('a', () => promise), lanes.run('a', () => promise)];
    const failure: unknown = await lanes.run('a', async () => 'never').catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    resolve('held');
    expect(await Promise.all(held)).toEqual(['held', 'held']);
    expect(await lanes.run('a', async () => 'again')).toBe('again');
    await expect(lanes.run('a', () => Promise.reject(new Error('own')))).rejects.toThrow('own');
  });
});
