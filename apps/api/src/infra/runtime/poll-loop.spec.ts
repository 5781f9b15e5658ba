import { PollLoop } from './poll-loop.ts';

/** A poll that counts, and whose current call ends when the test says so. */
function controlledPoll(idleMs: number) {
  let count = 0;
  let end = Promise.withResolvers<number>();
  let begun = Promise.withResolvers<void>();
  return {
    poll: () => {
      count += 1;
      begun.resolve();
      return end.promise;
    },
    count: () => count,
    begun: () => begun.promise,
    end: () => {
      const current = end;
      end = Promise.withResolvers();
      begun = Promise.withResolvers();
      current.resolve(idleMs);
    },
  };
}

describe('a poll loop', () => {
  it('polls again after the time that the poll returns', async () => {
    const { poll, begun, count, end } = controlledPoll(0);
    const loop = new PollLoop(poll);
    loop.start();
    for (let polls = 1; polls <= 3; polls++) {
      await begun();
      expect(count()).toBe(polls);
      end();
    }
    await begun();
    const stopped = loop.stop();
    end();
    await stopped;
    expect(count()).toBe(4);
  });

  it('polls once more if it is woken during a poll', async () => {
    const { poll, begun, count, end } = controlledPoll(60_000);
    const loop = new PollLoop(poll);
    loop.start();
    await begun();
    loop.wake();
    end();
    await begun();
    const stopped = loop.stop();
    expect(loop.signal.aborted).toBe(true);
    end();
    await stopped;
    expect(count()).toBe(2);
  });

  it('stops within a wait, also within the first one', async () => {
    const { poll, count } = controlledPoll(60_000);
    const loop = new PollLoop(poll);
    loop.start(60_000);
    await loop.stop();
    await loop.stop();
    expect(count()).toBe(0);
  });
});
