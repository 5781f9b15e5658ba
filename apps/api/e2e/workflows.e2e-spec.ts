import type { Run, Step } from '@platform/contracts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { TestApp } from './harness/app.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let runs: RunCalls;
let scripted: ScriptedAction;

beforeAll(async () => {
  app = await TestApp.start();
  runs = new RunCalls(app);
  scripted = ScriptedAction.install(app);
});

const code = (id: string, source: string, more: Partial<Step> = {}): Step =>
  ({ id, kind: 'code', source, ...more }) as Step;

const outcomes = ({ steps }: Run) => steps.map(({ scope, status }) => `${scope} ${status}`);

const outputOf = ({ steps }: Run, scope: string) => steps.find((step) => step.scope === scope)?.output;

const fails = () => {
  throw new StepError('STEP_FAILED', 'On its own');
};

describe('steps that contain others', () => {
  verifies(
    'workflow.branch',
    'executes the first branch whose condition holds, else the others',
    async () => {
      const steps: Step[] = [
        {
          id: 'decide',
          kind: 'branch',
          branches: [
            { when: 'inputs.amount > 100', steps: [code('large', 'return "large";')] },
            { when: 'inputs.amount > 10', steps: [code('medium', 'return "medium";')] },
          ],
          otherwise: [code('small', 'return "small";')],
        },
        code('after', 'return context.steps.decide.output;'),
      ];
      const task = await runs.createTask(steps);
      for (const [amount, size] of [
        [500, 'large'],
        [50, 'medium'],
        [5, 'small'],
      ] as const) {
        const run = await runs.reached(await runs.start(task, { amount }), 'SUCCEEDED');
        expect(outcomes(run)).toEqual(['decide SUCCEEDED', `decide.${size} SUCCEEDED`, 'after SUCCEEDED']);
        expect(outputOf(run, 'after')).toBe(size);
      }
    },
  );

  verifies(
    'workflow.each',
    'executes its steps for each item, and collects what failed if it goes on',
    async () => {
      const inner = scripted.step('charge', (_, { n }) => (n === 2 ? fails() : { charged: n }), {
        n: '{{item.n}}',
      });
      const each = (onItemError: 'stop' | 'continue'): Step => ({
        id: 'all',
        kind: 'each',
        items: '{{inputs.orders}}',
        concurrency: 3,
        onItemError,
        steps: [inner, code('at', 'return [context.index, context.steps.charge.output.charged];')],
      });
      const orders = [1, 2, 3, 4].map((n) => ({ n }));
      const going = await runs.createTask([each('continue')]);
      const run = await runs.reached(await runs.start(going, { orders }), 'SUCCEEDED');
      expect(outputOf(run, 'all')).toEqual([
        { status: 'SUCCEEDED', output: [0, 1] },
        { status: 'FAILED', error: { code: 'STEP_FAILED', message: 'On its own' } },
        { status: 'SUCCEEDED', output: [2, 3] },
        { status: 'SUCCEEDED', output: [3, 4] },
      ]);
      const stopping = await runs.createTask([each('stop')]);
      const stopped = await runs.reached(await runs.start(stopping, { orders }), 'FAILED');
      expect(stopped.error).toMatchObject({ code: 'STEP_FAILED' });
      expect(stopped.steps[0]).toMatchObject({ scope: 'all', status: 'FAILED' });
    },
  );

  verifies('workflow.task', 'starts another task, and continues with its output', async () => {
    const child = await runs.createTask([code('sum', 'return context.execution.inputs.n + 1;')]);
    const parent = await runs.createTask([
      { id: 'call', kind: 'task', taskId: child.id, inputs: { n: '{{inputs.n}}' } },
      code('after', 'return context.steps.call.output.output * 10;'),
    ]);
    const run = await runs.reached(await runs.start(parent, { n: 4 }), 'SUCCEEDED');
    expect(outputOf(run, 'after')).toBe(50);
    expect(run.attempts.map(({ status }) => status)).toEqual(['WAITED', 'SUCCEEDED']);
    const failing = await runs.createTask([scripted.step('no', fails)]);
    const calling = await runs.createTask([
      { id: 'call', kind: 'task', taskId: failing.id, inputs: {}, onError: 'continue' },
    ]);
    const handled = await runs.reached(await runs.start(calling), 'SUCCEEDED');
    expect(handled.steps).toMatchObject([{ status: 'FAILED', error: { code: 'RUN_FAILED' } }]);
  });
});

describe('fields of every step', () => {
  verifies('workflow.when', 'skips a step whose condition does not hold', async () => {
    const task = await runs.createTask([
      code('first', 'return 1;'),
      code('second', 'return 2;', { when: 'steps.first.output > 1' }),
      code('third', 'return context.steps.second.output;'),
      code('last', 'return 3;', { when: 'nothing.here' }),
    ]);
    const run = await runs.reached(await runs.start(task), 'FAILED');
    expect(outcomes(run)).toEqual(['first SUCCEEDED', 'second SKIPPED', 'third SUCCEEDED', 'last FAILED']);
    expect(run.error?.message).toContain('The condition of step last failed');
  });

  verifies(
    'workflow.retry',
    'executes a step again that failed, and goes on after the last failure if told to',
    async () => {
      let calls = 0;
      const task = await runs.createTask([
        {
          ...scripted.step('flaky', () => (++calls < 3 ? fails() : calls)),
          retry: { attempts: 2, backoffMs: 1 },
        },
        { ...scripted.step('never', fails), retry: { attempts: 1 }, onError: 'continue' },
        code('after', 'return context.steps.never.output.error.code;'),
      ]);
      const run = await runs.reached(await runs.start(task), 'SUCCEEDED');
      expect(run.steps).toMatchObject([
        { scope: 'flaky', status: 'SUCCEEDED', stepAttempt: 3, output: 3 },
        { scope: 'never', status: 'FAILED', stepAttempt: 2 },
        { output: 'STEP_FAILED' },
      ]);
      expect(run.attempts).toHaveLength(1);
    },
  );

  verifies('workflow.timeout', 'ends an execution that takes too long', async () => {
    const untilStopped = ({ signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const task = await runs.createTask([{ ...scripted.step('slow', untilStopped), timeoutMs: 100 }]);
    const run = await runs.reached(await runs.start(task), 'FAILED');
    expect(run.steps).toMatchObject([
      { error: { code: 'TIMEOUT', message: 'The step did not finish within 100 ms' } },
    ]);
  });
});

describe('a retry', () => {
  verifies('workflow.retry-continues', 'continues at the step that failed', async () => {
    const executed: string[] = [];
    let isBroken = true;
    const task = await runs.createTask([
      scripted.step('first', () => executed.push('first')),
      {
        id: 'all',
        kind: 'each',
        items: [1, 2, 3],
        steps: [
          scripted.step(
            'charge',
            (_, { n }) => {
              executed.push(`charge ${String(n)}`);
              return isBroken && n === 2 ? fails() : n;
            },
            { n: '{{item}}' },
          ),
        ],
      },
      scripted.step('last', () => executed.push('last')),
    ]);
    const failed = await runs.reached(await runs.start(task), 'FAILED');
    isBroken = false;
    await runs.retry(failed);
    const run = await runs.reached(failed, 'SUCCEEDED');
    expect(executed).toEqual(['first', 'charge 1', 'charge 2', 'charge 2', 'charge 3', 'last']);
    expect(outputOf(run, 'all')).toEqual([1, 2, 3].map((output) => ({ status: 'SUCCEEDED', output })));
  });
});
