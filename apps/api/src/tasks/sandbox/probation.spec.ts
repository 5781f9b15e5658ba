import { getPriority } from 'node:os';
import { Probation } from './probation.ts';
import { SANDBOX_LIMITS } from './sandbox-pool.ts';
import { SandboxProcess } from './sandbox-process.ts';

const signal = new AbortController().signal;

/** How long an owner waits for a turn, since a time. */
async function waitOf(probation: Probation, owner: string, before = performance.now()): Promise<number> {
  (await probation.enter(owner, signal))();
  return performance.now() - before;
}

describe('owners whose code ends processes', () => {
  it('wait twice as long after each further end, up to eight times', async () => {
    const probation = new Probation(50);
    // Timers may be a millisecond early.
    for (const pauseMs of [50, 100, 200, 400, 400]) {
      // The pause begins with the note, and a busy machine may stop between the two.
      const before = performance.now();
      probation.note('eve');
      expect(await waitOf(probation, 'eve', before)).toBeGreaterThanOrEqual(pauseMs - 2);
    }
    expect([probation.has('eve'), probation.has('ada')]).toEqual([true, false]);
  });

  it('are forgotten after five pauses', async () => {
    const probation = new Probation(10);
    const before = performance.now();
    probation.note('eve');
    while (probation.has('eve')) await new Promise(setImmediate);
    expect(performance.now() - before).toBeGreaterThanOrEqual(48);
    expect(await waitOf(probation, 'eve')).toBeLessThan(10_000);
  });
});

describe('a sandbox process', () => {
  it('has a lower priority than the service', async () => {
    const sandbox = new SandboxProcess(SANDBOX_LIMITS);
    await sandbox.ready;
    expect(getPriority(sandbox.pid)).toBe(getPriority() + 5);
    sandbox.kill();
    await sandbox.ended;
  });
});
