import { jest } from '@jest/globals';
import { Lanes } from './lanes.ts';
import { isUnavailable } from './unavailable.ts';

const STALLED_MS = 400;

const unavailable = () => Object.assign(new Error('No connection'), { code: 'ETIMEDOUT' });

describe('lanes', () => {
  it('let half of the pool work for one key, the others one after the other, and nobody wait for another key', async () => {
    const lanes = new Lanes(4, STALLED_MS / 2);
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
});

describe('who waits in a lane', () => {
  let lanes: Lanes;
  beforeEach(() => {
    jest.useFakeTimers();
    lanes = new Lanes(4, STALLED_MS / 2);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const work = (ms: number, error?: Error) =>
    lanes.run(
      'a',
      () =>
        new Promise<void>((resolve, reject) => {
          setTimeout(() => {
            if (error) reject(error);
            else resolve();
          }, ms);
        }),
    );
  const after = (since: number) => Math.round(performance.now() - since);
  /** When each failed as unavailable, or null for those that succeeded. */
  const failures = (works: Promise<void>[]) => {
    const since = performance.now();
    return Promise.all(
      works.map((one) =>
        one.then(
          () => null,
          (error: unknown) => (isUnavailable(error) ? after(since) : error),
        ),
      ),
    );
  };

  it('waits as long as it takes while the line moves: 200 at once all succeed', async () => {
    const works = failures(Array.from({ length: 200 }, () => work(STALLED_MS / 2)));
    await jest.advanceTimersByTimeAsync(100 * (STALLED_MS / 2));
    expect(await works).toEqual(Array<null>(200).fill(null));
  });

  it('fails as if the database was away when nothing succeeds for a while, and the next one gets through', async () => {
    const stuck = failures(Array.from({ length: 6 }, () => work(10_000)));
    await jest.advanceTimersByTimeAsync(20_000);
    expect(await stuck).toEqual([null, null, ...Array<number>(4).fill(STALLED_MS)]);
    const next = failures([work(1)]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await next).toEqual([null]);
  });

  it('is not kept waiting by others that fail because the database is away', async () => {
    const down = failures(Array.from({ length: 20 }, () => work(150, unavailable())));
    await jest.advanceTimersByTimeAsync(10_000);
    const failed = (await down) as number[];
    expect(failed.slice(0, 6)).toEqual([150, 150, 300, 300, 450, 450]);
    expect(failed.slice(6)).toEqual(Array<number>(14).fill(STALLED_MS));
  });

  it('takes a refusal for a response', async () => {
    const refused = new Error('402');
    const works = failures(Array.from({ length: 20 }, () => work(150, refused)));
    await jest.advanceTimersByTimeAsync(10 * 150);
    expect(await works).toEqual(Array<Error>(20).fill(refused));
  });

  const locked = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

  it('tries again when it waited too long for a lock while others in the lane succeeded', async () => {
    let attempts = 0;
    const hurried = lanes.run('a', async () => {
      attempts += 1;
      await work(1);
      if (attempts < 3) throw locked;
      return attempts;
    });
    await jest.advanceTimersByTimeAsync(10);
    expect(await hurried).toBe(3);
  });

  it('fails when it waited too long for a lock that nobody in the lane had', async () => {
    const works = failures(Array.from({ length: 3 }, () => work(150, locked)));
    await jest.advanceTimersByTimeAsync(10 * 150);
    expect(await works).toEqual([150, 150, 300]);
  });

  it('fails after a minute even if the line moves', async () => {
    const works = failures(Array.from({ length: 400 }, () => work(0.9 * STALLED_MS)));
    await jest.advanceTimersByTimeAsync(90_000);
    const failed = (await works).filter((ms) => ms !== null);
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed)).toEqual(new Set([60_000]));
  });
});
