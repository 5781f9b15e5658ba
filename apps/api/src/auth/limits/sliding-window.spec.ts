import { SlidingWindow } from './sliding-window.ts';

function windowAt(limit: number, maxKeys?: number) {
  const clock = { time: 1_000_000, now: () => clock.time };
  const window = new SlidingWindow({ limit, windowMs: 60_000, maxKeys }, clock);
  const hits = (key: string, times: number) => Array.from({ length: times }, () => window.hit(key));
  return { window, clock, hits };
}

describe('SlidingWindow', () => {
  it('admits up to the limit, then returns the time to wait', () => {
    const { hits } = windowAt(10);
    expect(hits('a', 10)).toEqual(Array(10).fill(null));
    // A full window of waiting, and a tenth of the next for one event to fade.
    expect(hits('a', 1)).toEqual([66]);
    expect(hits('b', 1)).toEqual([null]);
  });

  it('admits again exactly after that time', () => {
    const { window, clock, hits } = windowAt(10);
    hits('a', 10);
    const wait = window.hit('a') ?? 0;
    clock.time += wait * 1000 - 1;
    expect(window.hit('a')).toBeCloseTo(0.001, 6);
    clock.time += 1;
    expect(window.hit('a')).toBeNull();
    expect(window.hit('a')).toBeGreaterThan(0);
  });

  it('does not admit twice the limit around the border of two windows', () => {
    const { clock, hits } = windowAt(10);
    clock.time += 59_000;
    hits('a', 10);
    clock.time += 61_000;
    expect(hits('a', 10).filter((wait) => wait === null)).toHaveLength(0);
    clock.time += 30_000;
    expect(hits('a', 10).filter((wait) => wait === null)).toHaveLength(5);
  });

  it('counts no refused event', () => {
    const { clock, hits } = windowAt(10);
    hits('a', 500);
    clock.time += 120_000;
    expect(hits('a', 10)).toEqual(Array(10).fill(null));
  });

  it('waits a whole window and the next with a limit of one', () => {
    const { hits } = windowAt(1);
    expect(hits('a', 2)).toEqual([null, 120]);
  });

  it('forgets the key unused for longest when it is full', () => {
    const { window, hits } = windowAt(1, 2);
    hits('a', 1);
    hits('b', 1);
    hits('a', 1);
    hits('c', 1);
    expect(window.size).toBe(2);
    expect(window.hit('a')).not.toBeNull();
    expect(window.hit('b')).toBeNull();
  });
});
