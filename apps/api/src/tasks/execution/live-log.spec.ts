import { jest } from '@jest/globals';
import { RunBudget } from '../runs/run-budget.ts';
import { LiveLog } from './live-log.ts';

let stored: string[];
let fails: boolean;
let log: LiveLog;

beforeEach(() => {
  jest.useFakeTimers();
  stored = [];
  fails = false;
  log = new LiveLog(new RunBudget().openLog(), (text) => {
    stored.push(text);
    return fails ? Promise.reject(new Error('Away')) : Promise.resolve();
  });
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('the log of a step that executes', () => {
  it('is not stored if the step ends within a second', async () => {
    log.add('first');
    await pass(999);
    expect(log.close()).toBe('first\n');
    log.add('too late');
    await pass(10_000);
    expect(stored).toEqual([]);
  });

  it('is stored a second after the start, and then a second after a line, however many there are', async () => {
    await pass(5_000);
    expect(stored).toEqual([]);
    log.add('1');
    await pass(0);
    expect(stored).toEqual(['1\n']);
    for (let i = 2; i <= 20; i++) {
      log.add(String(i));
      await pass(100);
    }
    // 1.9 s later.
    expect(stored).toHaveLength(2);
    await pass(1_000);
    expect(stored).toHaveLength(3);
    expect(stored.at(-1)).toMatch(/^1\n2\n(.*\n)*20\n$/);
    await pass(60_000);
    expect(stored).toHaveLength(3);
  });

  it('is stored again if that failed, and not if nothing more is kept', async () => {
    fails = true;
    log.add('x');
    await pass(1_000);
    fails = false;
    await pass(1_000);
    expect(stored).toEqual(['x\n', 'x\n']);
    log.add('y'.repeat(300_000));
    await pass(1_000);
    log.add('dropped');
    await pass(10_000);
    expect(stored).toHaveLength(3);
  });
});
