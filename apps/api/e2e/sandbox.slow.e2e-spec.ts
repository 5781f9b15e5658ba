import type { Step } from '@platform/contracts';
import { TestApp } from './harness/app.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const code = (source: string): Step => ({ id: 'main', kind: 'code', source });

verifies('sandbox.bounds', 'end code that never ends, and the worker and the next run are fine', async () => {
  const app = await TestApp.start({ env: { PLATFORM_SANDBOX_PROCESSES: '2' } });
  try {
    const calls = new RunCalls(app);
    // A sandbox process has a low priority: on a busy machine, it waits long for the processor time that it may use.
    const failed = await calls.result([code('while (1);')], { timeoutMs: 3_600_000 });
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'STEP_FAILED' } });
    expect(failed.error?.message).toMatch(
      /used more than 10 s of processor time|ran for more than 6[02] s at a time/,
    );
    expect(await calls.result([code('return typeof process')])).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: 'undefined' }],
    });
  } finally {
    await app.close();
  }
});
