import { jest } from '@jest/globals';
import { FlushLoop, type FrameSource } from './flush-loop.ts';
import { StreamHub } from './stream-hub.ts';

/** A writer that always has one more frame. */
function source(streamId: string): FrameSource {
  let seq = 1;
  return {
    streamId,
    signal: new AbortController().signal,
    hasUnstored: true,
    isBacklogged: false,
    takeBatch: () => ({ streamId, fencingToken: 't', fromSeq: seq, toSeq: seq, data: Buffer.from('x') }),
    acknowledge: () => {
      seq++;
    },
    abandon: () => {
      throw new Error('No lease was lost');
    },
  };
}

/** How often the frames of so many streams are stored within a second. */
async function flushesOf(streams: number): Promise<number> {
  let flushes = 0;
  const sql = {
    query: (_statement: string, parameters: unknown[] = []) => {
      flushes++;
      return Promise.resolve((parameters[1] as string[]).map((id) => ({ id })));
    },
  };
  const loop = new FlushLoop(sql as unknown as ConstructorParameters<typeof FlushLoop>[0], new StreamHub());
  for (let i = 0; i < streams; i++) loop.wake(source(`stream ${i}`), false);
  await jest.advanceTimersByTimeAsync(1_000);
  return flushes;
}

describe('the flush loop', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('stores the frames of few streams every 25 ms, of many every 50 ms', async () => {
    expect(await flushesOf(1)).toBeGreaterThanOrEqual(38);
    for (const streams of [100, 300]) {
      const flushes = await flushesOf(streams);
      expect(flushes).toBeGreaterThanOrEqual(19);
      expect(flushes).toBeLessThanOrEqual(21);
    }
  });

  it('lets paced producers read on before each flush, whatever else is waiting', async () => {
    const order: string[] = [];
    const sql = {
      query: (_statement: string, parameters: unknown[] = []) => {
        order.push('stored');
        return Promise.resolve((parameters[1] as string[]).map((id) => ({ id })));
      },
    };
    const loop = new FlushLoop(sql as unknown as ConstructorParameters<typeof FlushLoop>[0], new StreamHub());
    const once = { ...source('stream'), hasUnstored: false };
    for (const text of ['first', 'second']) {
      const paced = loop.nextFlush().then(() => {
        order.push(text);
        loop.wake(once, false);
      });
      await jest.advanceTimersByTimeAsync(50);
      await paced;
    }
    expect(order).toEqual(['first', 'stored', 'second', 'stored']);
  });
});
