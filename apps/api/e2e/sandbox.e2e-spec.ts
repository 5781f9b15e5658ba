import type { Run, Task } from '@platform/contracts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
}, 30_000);
afterAll(() => app.close());

/** Runs code to its end. */
async function run(source: string, inputs: object = {}, task: object = {}): Promise<Run> {
  const workflow = { steps: [{ id: 'main', kind: 'code', source }] };
  const body = { name: 'Code', type: 'MANUAL', workflow, ...task };
  const { id } = (await app.request<Task>('POST', '/api/tasks', { body })).body;
  const started = await app.request<Run>('POST', `/api/tasks/${id}/run`, { body: { inputs } });
  if (started.status !== 202) throw new Error(`${started.status} ${started.text}`);
  return ended(started.body.id);
}

async function ended(id: string): Promise<Run> {
  let run: Run | undefined;
  await eventually(async () => {
    run = (await app.request<Run>('GET', `/api/runs/${id}`)).body;
    expect(run.finishedAt).not.toBeNull();
  }, 30_000);
  return run as Run;
}

describe('Code', () => {
  verifies('sandbox.code', 'returns its output, and writes to its log', async () => {
    const { status, steps } = await run(
      'console.log("Hello", context.execution.inputs); return { doubled: context.execution.inputs.n * 2 }',
      { n: 21 },
    );
    expect(status).toBe('SUCCEEDED');
    expect(steps).toMatchObject([{ status: 'SUCCEEDED', output: { doubled: 42 }, log: 'Hello {"n":21}\n' }]);
  });

  it.each<[string, string, RegExp]>([
    ['while (1)', 'while (1);', /more than 10 s/],
    ['a text of 1 GB', 'return "x".repeat(2 ** 30)', /invalid string length \(line 1\)/],
    ['much memory', 'const a = []; for (;;) a.push(new Array(1e5).fill(0))', /more than 64 MB of memory/],
    ['deep recursion', 'const f = () => f() + 1;\nf()', /calls itself too deeply \(line 1\)/],
    ['an escape', 'return constructor.constructor("return process")()', /'process' is not defined/],
    ['a syntax error', 'return 1;\nreturn }', /^SyntaxError: .* \(line 2\)$/],
  ])('that hurts: %s', (_, source, message) => fails(source, message), 60_000);

  async function fails(source: string, message: RegExp): Promise<void> {
    const failed = await run(source);
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'STEP_FAILED' } });
    expect(failed.error?.message).toMatch(message);
    expect(await run('return typeof process')).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: 'undefined' }],
    });
  }
});
