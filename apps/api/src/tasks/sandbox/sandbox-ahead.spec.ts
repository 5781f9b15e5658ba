import { SANDBOX_LIMITS, SandboxPool } from './sandbox-pool.ts';
import { CodeFailed, SandboxProcess, type SandboxJob } from './sandbox-process.ts';

const LIMITS = { ...SANDBOX_LIMITS, cpuMs: 400 };
/** Longer than executions may follow each other, on a machine of any speed. */
const SLOW = 'const since = Date.now(); while (Date.now() - since < 100); return "slow"';
const RETURNED = { type: 'returned' };

function toJob(source: string, options: Partial<SandboxJob> = {}): SandboxJob {
  return {
    owner: 'ada',
    source,
    context: '{}',
    signal: new AbortController().signal,
    log: () => undefined,
    call: () => Promise.resolve('null'),
    toCallError: (error) => ({ code: 'FAILED', message: (error as Error).message }),
    ...options,
  };
}

describe('a process with several executions', () => {
  let sandbox: SandboxProcess;

  beforeEach(async () => {
    sandbox = new SandboxProcess(LIMITS);
    await sandbox.ready;
  });
  afterEach(async () => {
    sandbox.kill();
    await sandbox.ended;
  });

  it('returns those behind one that waits for a call', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = sandbox.run(toJob('return platform.emit({})', { call: () => promise }));
    const others = [sandbox.run(toJob('return 1')), sandbox.run(toJob('return 2'))];
    expect(await Promise.all(others)).toEqual([RETURNED, RETURNED]);
    resolve('"late"');
    expect(await waiting).toMatchObject({ type: 'done', json: '"late"' });
    expect(sandbox.canTakeAhead('ada')).toBe(false);
  });

  it('returns those behind one that takes long', async () => {
    const slow = sandbox.run(toJob(SLOW));
    expect(await sandbox.run(toJob('return 1'))).toEqual(RETURNED);
    expect(await slow).toMatchObject({ json: '"slow"' });
    expect(await sandbox.run(toJob('return 2'))).toMatchObject({ json: '2' });
  });

  it('returns those behind one that exceeds a limit', async () => {
    const endless = sandbox.run(toJob('for (;;);'));
    const next = sandbox.run(toJob('return 1'));
    await expect(endless).rejects.toThrow(CodeFailed);
    expect(await next).toEqual(RETURNED);
    await sandbox.ended;
  });

  it('returns those behind one that is stopped', async () => {
    const stopping = new AbortController();
    const stopped = sandbox.run(toJob('for (;;);', { signal: stopping.signal }));
    const next = sandbox.run(toJob('return 1'));
    stopping.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    expect(await next).toEqual(RETURNED);
    await sandbox.ended;
  });

  it('does not stop the one that runs when another one is', async () => {
    const stopping = new AbortController();
    const first = sandbox.run(toJob(SLOW));
    const stopped = sandbox.run(toJob('for (;;);', { signal: stopping.signal }));
    const last = sandbox.run(toJob('return 1'));
    stopping.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    expect(await first).toMatchObject({ json: '"slow"' });
    expect(await last).toEqual(RETURNED);
    // Nobody waits for the one that may have begun.
    await sandbox.ended;
  });

  it('returns all when it dies, since any may have ended it, but not one that has made calls', async () => {
    const endless = [sandbox.run(toJob('for (;;);')), sandbox.run(toJob('return 1'))];
    await new Promise(setImmediate);
    process.kill(sandbox.pid ?? 0, 'SIGKILL');
    expect(await Promise.all(endless)).toEqual([RETURNED, RETURNED]);

    const other = new SandboxProcess(LIMITS);
    await other.ready;
    const called = Promise.withResolvers<null>();
    const call = () => {
      called.resolve(null);
      return new Promise<string>(() => undefined);
    };
    const caller = other.run(toJob('platform.emit({}); for (;;);', { call }));
    const next = other.run(toJob('return 1'));
    await called.promise;
    process.kill(other.pid ?? 0, 'SIGKILL');
    await expect(caller).rejects.toThrow(CodeFailed);
    expect(await next).toEqual(RETURNED);
  });

  it('takes more of an owner whose last execution was short, unless one runs alone', async () => {
    expect(sandbox.canTakeAhead('ada')).toBe(false);
    // As often as it takes on a machine that is busy with other things.
    while (!sandbox.canTakeAhead('ada')) await sandbox.run(toJob('return 1'));
    expect(sandbox.canTakeAhead('bob')).toBe(false);
    const alone = sandbox.run(toJob(SLOW), true);
    expect(sandbox.canTakeAhead('ada')).toBe(false);
    await alone;
    expect(sandbox.canTakeAhead('ada')).toBe(false);
  });
});

describe('the pool with many executions of an owner', () => {
  let pool: SandboxPool;

  beforeEach(async () => {
    pool = new SandboxPool(1, LIMITS);
    await pool.run(toJob('return 0'));
  });
  afterEach(() => pool.close());

  it('gives each its own output and log', async () => {
    const logs = Array.from({ length: 100 }, (): string[] => []);
    const outputs = logs.map((lines, i) => {
      const log = (line: string) => void lines.push(line);
      return pool.run(toJob(`console.log('line ${i}'); return ${i}`, { log }));
    });
    expect(await Promise.all(outputs)).toEqual(logs.map((_, i) => String(i)));
    expect(logs).toEqual(logs.map((_, i) => [`line ${i}`]));
  });

  it('fails only those that fail', async () => {
    const sources = Array.from({ length: 40 }, (_, i) => {
      if (i === 9) return 'throw new Error("nine")';
      if (i === 19) return 'return new Uint8Array(1e8).length';
      if (i === 29) return SLOW;
      return 'return 1';
    });
    const results = await Promise.allSettled(sources.map((source) => pool.run(toJob(source))));
    expect(results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([9, 19]);
  });

  it('gives no result of a call to another execution', async () => {
    const forgetful = Array.from({ length: 20 }, () =>
      pool.run(toJob('platform.emit({}); return 1', { call: () => Promise.resolve('"foreign"') })),
    );
    const own = Array.from({ length: 20 }, () =>
      pool.run(toJob('return platform.emit({})', { call: () => Promise.resolve('"own"') })),
    );
    expect(new Set(await Promise.all(forgetful))).toEqual(new Set(['1']));
    expect(new Set(await Promise.all(own))).toEqual(new Set(['"own"']));
  });
});
