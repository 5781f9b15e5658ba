import { jest } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runUnlessAborted, untilAborted } from './until-aborted.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('untilAborted', () => {
  it('ends with the work, or before it with the signal', async () => {
    const stop = new AbortController();
    await untilAborted(stop.signal, Promise.resolve(1));
    await expect(untilAborted(stop.signal, Promise.reject(new Error('no')))).rejects.toThrow('no');
    const never = new Promise(() => undefined);
    const waiting = untilAborted(stop.signal, never);
    stop.abort();
    await waiting;
    await untilAborted(stop.signal, never);
  });

  it('keeps nothing at a signal that lives as long as the process', async () => {
    const { signal } = new AbortController();
    await untilAborted(signal, Promise.resolve());
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 50_000; i++) await untilAborted(signal, Promise.resolve());
    collect();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    // A race with a promise that never settles keeps 300 bytes each time.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  });
});

describe('the sources', () => {
  const root = join(import.meta.dirname, '..');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

  it('race no promise that outlives the call', () => {
    const racing = sources.filter(({ text }) => /Promise\.race\(\[[^\]]*\bthis\.\w+(?![\w(.])/.test(text));
    expect(racing.map(({ path }) => path)).toEqual([]);
  });
});

describe('runUnlessAborted', () => {
  it('returns the result, or throws the error of the work', async () => {
    const { signal } = new AbortController();
    await expect(runUnlessAborted(signal, () => Promise.resolve(7))).resolves.toBe(7);
    await expect(runUnlessAborted(signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('starts nothing if the signal has aborted, so that no rejection is left unhandled', async () => {
    const start = jest.fn(() => Promise.reject(new Error('unhandled')));
    await expect(runUnlessAborted(AbortSignal.abort('stopped'), start)).rejects.toBe('stopped');
    expect(start).not.toHaveBeenCalled();
  });

  it('throws the reason as soon as the signal aborts, and ignores how the work ends', async () => {
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<number>();
    const running = runUnlessAborted(controller.signal, () => promise);
    controller.abort('stopped');
    await expect(running).rejects.toBe('stopped');
    reject(new Error('late'));
    await expect(promise).rejects.toThrow('late');
  });
});
