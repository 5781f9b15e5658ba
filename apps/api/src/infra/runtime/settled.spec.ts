import { setImmediate } from 'node:timers/promises';
import { settleInTurns, valueOf } from './settled.ts';

describe('settleInTurns', () => {
  it('returns every outcome in order', async () => {
    const results = await settleInTurns([1, 2, 3], async (n) => {
      if (n === 2) throw new Error('two');
      return n;
    });
    expect(results).toMatchObject([{ value: 1 }, { reason: { message: 'two' } }, { value: 3 }]);
    expect(results.filter(({ status }) => status === 'fulfilled').map(valueOf)).toEqual([1, 3]);
    expect(() => results.map(valueOf)).toThrow('two');
  });

  it('lets other work run while many items are mapped', async () => {
    let others = 0;
    const ended = new AbortController();
    const other = (async () => {
      for (; !ended.signal.aborted; others++) await setImmediate();
    })();
    const busyUntil = (end: number) => {
      while (performance.now() < end);
    };
    await settleInTurns(Array(20).fill(0), async () => busyUntil(performance.now() + 5));
    expect(others).toBeGreaterThan(2);
    ended.abort();
    await other;
  });
});
