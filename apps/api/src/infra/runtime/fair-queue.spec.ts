import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import {
  FairQueue,
  QueueFullError,
  QueueTimeoutError,
  type FairQueueOptions,
  type Leave,
} from './fair-queue.ts';

interface Guest {
  key: string;
  leave: Leave;
}

/** A queue, and who is inside. */
class Venue {
  readonly queue: FairQueue;
  /** In the order of their admission. */
  readonly inside: Guest[] = [];
  /** The keys of all admissions. */
  admitted = '';

  constructor(options: FairQueueOptions) {
    this.queue = new FairQueue(options);
  }

  /** One caller for each character, which is its key. */
  async enter(keys: string): Promise<void> {
    for (const key of keys) {
      void this.queue.enter(key).then((leave) => {
        this.inside.push({ key, leave });
        this.admitted += key;
      });
    }
    await turn();
  }

  /** The first one inside leaves, or the first one with the key. */
  async leave(key?: string): Promise<void> {
    const at = this.inside.findIndex((guest) => key === undefined || guest.key === key);
    this.inside.splice(at, 1)[0]?.leave();
    await turn();
  }

  async leaveAll(): Promise<void> {
    while (this.inside.length > 0) await this.leave();
  }
}

describe('FairQueue', () => {
  it('serves keys in turn, however many wait with one of them', async () => {
    const venue = new Venue({ places: 1 });
    await venue.enter('aaaaabcb');
    await venue.leaveAll();
    expect(venue.admitted).toBe('abcabaaa');
  });

  it('prefers the key with the fewest places', async () => {
    const venue = new Venue({ places: 3 });
    await venue.enter('aabab');
    await venue.leave('b');
    expect(venue.admitted).toBe('aabb');
  });

  it('gives one key no more places than allowed, and the others to other keys', async () => {
    const venue = new Venue({ places: 8, perKey: 2 });
    await venue.enter('aaaaab');
    expect(venue.admitted).toBe('aab');
    await venue.leave('a');
    expect(venue.admitted).toBe('aaba');
  });

  it('leaves room: half of the places for one key, and always one for a new key', async () => {
    const venue = new Venue({ places: 30, leaveRoom: true });
    const counts: number[] = [];
    for (const key of 'abcde') {
      const before = venue.inside.length;
      await venue.enter(key.repeat(20));
      counts.push(venue.inside.length - before);
    }
    expect(counts).toEqual([15, 8, 4, 2, 1]);
    await venue.enter('f');
    await venue.leave('a');
    expect(venue.admitted.at(-1)).toBe('f');
  });

  it('gives its only place to one key, although that leaves no room', async () => {
    const venue = new Venue({ places: 1, leaveRoom: true });
    await venue.enter('ab');
    expect(venue.admitted).toBe('a');
    await venue.leave();
    expect(venue.admitted).toBe('ab');
  });

  it('runs work in a place, which it takes back from work that fails', async () => {
    const queue = new FairQueue({ places: 3 });
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await turn();
      inside--;
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => queue.run(`${i % 2}`, work)));
    expect([inside, most]).toEqual([0, 3]);
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(queue.free).toBe(3);
  });

  it('gives a place without waiting, or none', () => {
    const queue = new FairQueue({ places: 4, leaveRoom: true });
    const leaves = [queue.tryEnter('a'), queue.tryEnter('a')];
    expect(leaves).not.toContain(null);
    expect(queue.tryEnter('a')).toBeNull();
    expect(queue.tryEnter('b')).not.toBeNull();
    expect(queue.free).toBe(1);
  });

  it('takes a place back once', () => {
    const queue = new FairQueue({ places: 2 });
    const leave = queue.tryEnter('a');
    queue.tryEnter('a');
    leave?.();
    leave?.();
    expect(queue.free).toBe(1);
  });

  it('refuses more callers than may wait with a key', async () => {
    const venue = new Venue({ places: 1, waitingPerKey: 2 });
    await venue.enter('aaa');
    expect(venue.queue.isFull('a')).toBe(true);
    await expect(venue.queue.enter('a')).rejects.toThrow(QueueFullError);
    expect(venue.queue.isFull('b')).toBe(false);
    await venue.leave();
    expect(venue.queue.isFull('a')).toBe(false);
  });

  it('lets nobody wait if it is told so', async () => {
    const queue = new FairQueue({ places: 1, waitingPerKey: 0 });
    expect(queue.isFull('a')).toBe(false);
    await queue.enter('a');
    await expect(queue.enter('a')).rejects.toThrow(QueueFullError);
  });

  it('forgets a caller whose signal aborts', async () => {
    const venue = new Venue({ places: 1 });
    await venue.enter('a');
    const { signal, abort } = abortable();
    const remove = jest.spyOn(signal, 'removeEventListener');
    const refused = venue.queue.enter('b', signal);
    await venue.enter('c');
    abort(new Error('gone'));
    await expect(refused).rejects.toThrow('gone');
    expect(remove).toHaveBeenCalledTimes(1);
    await venue.leave();
    expect(venue.admitted).toBe('ac');
    await expect(venue.queue.enter('d', signal)).rejects.toThrow('gone');
    await venue.leave();
    expect(venue.queue).toMatchObject({ free: 1, keys: new Map() });
  });

  it('listens to no signal after the admission', async () => {
    const venue = new Venue({ places: 1 });
    await venue.enter('a');
    const { signal, abort } = abortable();
    const entered = venue.queue.enter('b', signal);
    await venue.leave();
    abort(new Error('late'));
    (await entered)();
    expect(venue.queue.free).toBe(1);
  });

  it('lets callers share a place of their key, unless others wait or the next one cannot share', async () => {
    const queue = new FairQueue({ places: 1 });
    const canShare = true;
    const leave = await queue.enter('a');
    expect(queue.share('a', leave)).toBe(false);
    const sharing = queue.enter('a', undefined, { canShare });
    expect(queue.share('b', leave)).toBe(false);
    expect(queue.share('a', leave)).toBe(true);
    expect(await sharing).toBe(leave);

    const alone = queue.enter('a');
    void queue.enter('a', undefined, { canShare });
    expect(queue.share('a', leave)).toBe(false);
    leave();
    const next = await alone;
    void queue.enter('b');
    expect(queue.share('a', next)).toBe(false);
    next();
    expect(queue.free).toBe(0);
  });

  it('serves work that goes on before other work with the key, but not before other keys', async () => {
    const queue = new FairQueue({ places: 1 });
    const leave = await queue.enter('a');
    const served: string[] = [];
    const serve = async (name: string, key: string, isFirst: boolean) => {
      const done = await queue.enter(key, undefined, { isFirst });
      served.push(name);
      done();
    };
    const all = [serve('b', 'b', false), serve('new', 'a', false), serve('begun', 'a', true)];
    leave();
    await Promise.all(all);
    expect(served).toEqual(['b', 'begun', 'new']);
  });

  it('refuses everybody when it is closed, and takes back what is in use', async () => {
    const venue = new Venue({ places: 1 });
    await venue.enter('a');
    const waiting = [venue.queue.enter('a'), venue.queue.enter('b')];
    venue.queue.close(new Error('closed'));
    for (const one of waiting) await expect(one).rejects.toThrow('closed');
    await venue.leave();
    expect(venue.queue.free).toBe(1);
    await expect(venue.queue.enter('a')).rejects.toThrow('closed');
    expect(venue.queue.tryEnter('a')).toBeNull();
  });
});

describe('a limit of the wait', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('refuses a caller who has waited too long', async () => {
    const queue = new FairQueue({ places: 1, maxWaitMs: 300 });
    const leave = await queue.enter('a');
    const refused = expect(queue.enter('b')).rejects.toThrow(QueueTimeoutError);
    await jest.advanceTimersByTimeAsync(299);
    const entered = queue.enter('c');
    await jest.advanceTimersByTimeAsync(1);
    await refused;
    leave();
    await entered;
    expect(jest.getTimerCount()).toBe(0);
  });

  it('refuses a caller when no work with the key has made progress for too long', async () => {
    const isStall = (error: unknown) => error === 'unavailable';
    const queue = new FairQueue({ perKey: 1, stall: { ms: 400, isStall } });
    const work = (ms: number, error?: string) =>
      queue.run('a', async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- Any value can be one that is a stall.
        if (error !== undefined) throw error;
      });
    const results = Promise.allSettled([
      work(300),
      work(300, 'refused'),
      work(300, 'unavailable'),
      work(300, 'unavailable'),
    ]);
    await jest.advanceTimersByTimeAsync(600);
    // Progress at 300 ms and at 600 ms; none until 1,000 ms.
    const stalled = expect(work(1)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await queue.run('b', () => Promise.resolve());
    await jest.advanceTimersByTimeAsync(400);
    await stalled;
    await jest.advanceTimersByTimeAsync(300);
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('FairQueue, whatever happens', () => {
  const KEYS = ['a', 'b', 'c', 'd', 'e'];
  const options = fc.record({
    places: fc.integer({ min: 1, max: 6 }),
    perKey: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    leaveRoom: fc.boolean(),
  });
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('enter' as const), key: fc.constantFrom(...KEYS) }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('leave' as const), at: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('abort' as const), at: fc.nat() }) },
  );

  it('keeps its limits, the order of arrival, and its promise to every key', async () => {
    await fc.assert(
      fc.asyncProperty(options, fc.array(step, { maxLength: 100 }), async (limits, steps) => {
        const model = new Model(limits);
        for (const one of steps) {
          if (one.type === 'enter') model.enter(one.key);
          else if (one.type === 'leave') model.leave(one.at);
          else model.abort(one.at);
          await turn();
          model.check();
        }
        for (let at = 0; model.isBusy; at += 7) {
          if (at % 2 === 0) model.abort(at);
          model.leave(at);
          await turn();
          model.check();
        }
        expect(model.queue).toMatchObject({ free: limits.places, keys: new Map() });
      }),
    );
  });

  it('serves 100,000 who wait, some of whom leave', async () => {
    const queue = new FairQueue({ places: 10, perKey: 5, leaveRoom: true });
    let served = 0;
    const work = () => Promise.resolve(++served);
    const spent = await cpuMsOf(async () => {
      const leaving: AbortController[] = [];
      const works = Array.from({ length: 100_000 }, (_, i) => {
        const controller = i % 10 === 9 ? new AbortController() : null;
        if (controller) leaving.push(controller);
        const key = i % 2 === 0 ? 'one of many' : `${i % 50_000}`;
        return queue.run(key, work, controller?.signal).catch(() => undefined);
      });
      for (const controller of leaving) controller.abort();
      await Promise.all(works);
    });
    // Those who leave from inside the line are not served.
    expect(served).toBeGreaterThanOrEqual(90_000);
    expect(served).toBeLessThan(90_010);
    // A hundredth of what it takes if each operation looks at those who wait.
    expect(spent).toBeLessThan(10_000);
  });
});

/** What the queue has to do, next to what it does. */
class Model {
  readonly queue: FairQueue;
  private readonly inside: Guest[] = [];
  private readonly waiting: { key: string; n: number; controller: AbortController }[] = [];
  private readonly aborted: number[] = [];
  private readonly refused: number[] = [];
  private readonly mistakes: string[] = [];
  private count = 0;
  /** For keys that wait without a place: how many may still leave before they have one. */
  private readonly patience = new Map<string, number>();

  constructor(private readonly limits: { places: number; perKey?: number | undefined; leaveRoom: boolean }) {
    const { perKey = Infinity } = limits;
    this.queue = new FairQueue({ ...limits, perKey });
  }

  get isBusy(): boolean {
    return this.inside.length + this.waiting.length > 0;
  }

  enter(key: string): void {
    const waiter = { key, n: this.count++, controller: new AbortController() };
    const isNew = this.placesOf(key) === 0 && !this.waiting.some((other) => other.key === key);
    this.waiting.push(waiter);
    if (isNew) this.patience.set(key, new Set(this.waiting.map((other) => other.key)).size);
    this.queue.enter(key, waiter.controller.signal).then(
      (leave) => this.admit(waiter, leave),
      () => this.refused.push(waiter.n),
    );
  }

  leave(at: number): void {
    const [guest] = this.inside.splice(at % Math.max(1, this.inside.length), 1);
    if (guest === undefined) return;
    for (const [key, releases] of this.patience) this.patience.set(key, releases - 1);
    guest.leave();
  }

  abort(at: number): void {
    const [waiter] = this.waiting.splice(at % Math.max(1, this.waiting.length), 1);
    if (waiter === undefined) return;
    if (!this.waiting.some(({ key }) => key === waiter.key)) this.patience.delete(waiter.key);
    waiter.controller.abort();
    this.aborted.push(waiter.n);
  }

  check(): void {
    const { places } = this.limits;
    expect(this.inside.length).toBeLessThanOrEqual(places);
    expect(this.queue.free).toBe(places - this.inside.length);
    // Nobody waits who could enter.
    for (const { key } of this.waiting) expect(this.placesOf(key)).toBeGreaterThanOrEqual(this.limit());
    expect(this.refused).toEqual(this.aborted);
    expect(this.mistakes).toEqual([]);
    for (const releases of this.patience.values()) expect(releases).toBeGreaterThan(0);
  }

  private admit({ key, n }: { key: string; n: number }, leave: Leave): void {
    // In the order of arrival among those with the key.
    const at = this.waiting.findIndex((other) => other.key === key);
    if (this.waiting[at]?.n !== n) this.mistakes.push(`${n} is not the first one of ${key}`);
    if (this.placesOf(key) >= this.limit()) this.mistakes.push(`${key} has too many places`);
    this.waiting.splice(at, 1);
    this.patience.delete(key);
    this.inside.push({ key, leave });
  }

  private placesOf(key: string): number {
    return this.inside.filter((guest) => guest.key === key).length;
  }

  private limit(): number {
    const { places, perKey = Infinity, leaveRoom } = this.limits;
    const free = places - this.inside.length;
    return free > 0 ? Math.min(perKey, leaveRoom ? free : Infinity) : 0;
  }
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: Error) => controller.abort(reason) };
}
