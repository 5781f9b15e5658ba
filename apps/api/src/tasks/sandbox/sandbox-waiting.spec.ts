import { SANDBOX_LIMITS, SandboxPool } from './sandbox-pool.ts';
import type { SandboxJob } from './sandbox-process.ts';

const WAIT = 'return platform.emit({})';

let pool: SandboxPool;
let answer: (json: string) => void;
let called: number;
let stopping: AbortController;

beforeEach(() => {
  stopping = new AbortController();
});
afterEach(() => pool.close());

/** Code whose calls wait until `answer` is called. */
function newJobs(size: number) {
  pool = new SandboxPool(size, SANDBOX_LIMITS, 0);
  const { promise, resolve } = Promise.withResolvers<string>();
  answer = resolve;
  called = 0;
  return (owner: string, source = WAIT): SandboxJob => ({
    owner,
    source,
    context: '{}',
    signal: stopping.signal,
    log: () => undefined,
    call: () => {
      called++;
      return promise;
    },
    toCallError: (error) => ({ code: 'FAILED', message: (error as Error).message }),
  });
}

async function untilCalled(count: number): Promise<void> {
  while (called < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('code that waits for its calls', () => {
  it('takes no place from others, whoever they are', async () => {
    const job = newJobs(4);
    const waiting = ['ada', 'bob', 'cleo'].flatMap((owner) => [pool.run(job(owner)), pool.run(job(owner))]);
    await untilCalled(6);
    for (const owner of ['dora', 'ada']) expect(await pool.run(job(owner, 'return 1'))).toBe('1');
    answer('"late"');
    expect(await Promise.all(waiting)).toEqual(Array(6).fill('"late"'));
  });

  it('goes on in a place: however many wait, so many run at a time', async () => {
    const job = newJobs(2);
    const source = `await platform.emit({}); const since = Date.now(); while (Date.now() - since < 200);
      return [since, Date.now()]`;
    const owners = ['ada', 'bob', 'cleo'];
    const waiting = owners.map((owner) => pool.run(job(owner, source)));
    await untilCalled(3);
    answer('null');
    const spans = (await Promise.all(waiting)).map((json) => JSON.parse(json ?? '') as [number, number]);
    const running = spans.map(([at]) => spans.filter(([from, to]) => from <= at && at < to).length);
    expect(Math.max(...running)).toBeLessThanOrEqual(2);
  });

  it('has at most twice as many further processes as there are places', async () => {
    const job = newJobs(2);
    const owners = Array.from({ length: 12 }, (_, i) => `owner ${i}`);
    const all = owners.map((owner) => pool.run(job(owner)));
    await untilCalled(5);
    expect(pool.pids.length).toBeLessThanOrEqual(6);
    answer('1');
    expect(await Promise.all(all)).toEqual(owners.map(() => '1'));
    expect(pool.pids.length).toBeLessThanOrEqual(6);
  });

  it('can be stopped while it waits, and while it waits to go on', async () => {
    const job = newJobs(2);
    const stopped = ['ada', 'bob'].map((owner) => pool.run(job(owner)).catch((error: unknown) => error));
    await untilCalled(2);
    const busy = new AbortController();
    const loops = ['cleo', 'dora'].map((owner) =>
      pool.run({ ...job(owner, 'for (;;);'), signal: busy.signal }).catch((error: unknown) => error),
    );
    answer('1');
    const reason = new Error('enough');
    stopping.abort(reason);
    expect(await Promise.all(stopped)).toEqual([reason, reason]);
    busy.abort(reason);
    expect(await Promise.all(loops)).toEqual([reason, reason]);
    stopping = new AbortController();
    expect(await pool.run(job('ada', 'return 2'))).toBe('2');
  });
});
