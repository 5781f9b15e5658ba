import type { RunStepStatus, Step } from '@platform/contracts';
import '../kinds/branch.kind.ts';
import '../kinds/each.kind.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { planRetry, refuseRetry } from './retries.ts';
import type { ExecutedStep } from './run-steps.store.ts';

const code = (id: string, source = 'return 1;'): Step => ({ id, kind: 'code', source });
const each = (id: string, steps: Step[]): Step => ({ id, kind: 'each', items: [1, 2], steps });

function executed(scope: string, status: RunStepStatus): ExecutedStep {
  const stepId = scope.split('.').at(-1) ?? '';
  return {
    stepId: stepId.replace(/\[.*/, ''),
    scope,
    kind: 'code',
    status,
    stepAttempt: 1,
    acts: false,
    branch: null,
    error: status === 'FAILED' ? { code: 'STEP_FAILED', message: 'Out of paper' } : null,
  };
}

const version = (number: number, steps: Step[]) => ({ version: number, workflow: { steps } });

const current = version(2, [
  code('first'),
  each('both', [code('inner'), code('then')]),
  { ...code('lenient'), onError: 'continue' },
  each('more', [code('part')]),
  code('last'),
]);
const EXECUTED = [
  executed('first', 'SUCCEEDED'),
  executed('both', 'SUCCEEDED'),
  executed('both[0].inner', 'FAILED'),
  executed('both[1].inner', 'SUCCEEDED'),
  executed('lenient', 'FAILED'),
  executed('more', 'FAILED'),
  executed('more[0].part', 'SUCCEEDED'),
  executed('more[1].part', 'FAILED'),
];
const facts = { runId: 'r', executed: EXECUTED, current, begun: null };
const scopes = (steps: { executed: ExecutedStep }[]) => steps.map((one) => one.executed.scope);

verifies('workflow.retry-preview', 'keeps what has ended, also in items, and repeats the rest', async () => {
  const plan = planRetry(facts, {});
  expect(scopes(plan.repeated)).toEqual(['more', 'more[1].part']);
  expect(scopes(plan.kept)).toEqual([...scopes(plan.kept).slice(0, 5), 'more[0].part']);
  expect(plan.version).toBe(2);
});

verifies('workflow.retry-preview', 'repeats a chosen step and all after it', async () => {
  const plan = planRetry(facts, { from: 'both' });
  expect(scopes(plan.kept)).toEqual(['first']);
  expect(scopes(plan.repeated)).toEqual(EXECUTED.slice(1).map(({ scope }) => scope));
});

verifies('workflow.retry-continues', 'executes nothing again that has ended, in whatever step', async () => {
  const last = code('last');
  const begun = version(1, [code('charge'), last]);
  const ended = [executed('charge', 'SUCCEEDED'), executed('last', 'FAILED')];
  const plan = (steps: Step[], from: typeof begun, of = ended) =>
    planRetry({ runId: 'r', executed: of, current: version(2, steps), begun: from }, {});
  expect(() => plan([each('all', [code('charge')]), last], begun)).toThrow(
    /differ in version 2 of the task: charge\./,
  );
  const inside = version(1, [each('all', [code('charge'), last])]);
  const items = [executed('all', 'FAILED'), executed('all[0].charge', 'SUCCEEDED')];
  expect(() => plan([code('charge'), each('all', [last])], inside, items)).toThrow(/of the task: charge\./);
  // In another order, it stands where it was.
  expect(plan([code('more'), last, code('charge')], begun).version).toBe(2);
});

verifies('workflow.retry-continues', 'goes on in the branch that was chosen, or not at all', async () => {
  const branch = (...whens: string[]): Step => ({
    id: 'decide',
    kind: 'branch',
    branches: whens.map((when) => ({ when, steps: [code(`step${when}`)] })),
  });
  const chosen = [
    { ...executed('decide', 'FAILED'), kind: 'branch' as const, branch: 0 },
    executed('decide.step1', 'FAILED'),
  ];
  const plan = (steps: Step[]) =>
    planRetry(
      { runId: 'r', executed: chosen, current: version(2, steps), begun: version(1, [branch('1')]) },
      {},
    );
  expect(() => plan([branch('2', '1')])).toThrow(/differ in version 2 of the task: decide\./);
  expect(plan([branch('1', '2')]).version).toBe(2);
});

verifies('workflow.retry-preview', 'refuses what a retry refuses', async () => {
  for (const from of ['nowhere', 'inner', 'both[0].inner'])
    expect(() => planRetry(facts, { from })).toThrow(/^from must name/);
  const begun = version(1, [code('first', 'return 0;'), ...current.workflow.steps.slice(1)]);
  const changed = { ...facts, begun };
  expect(() => planRetry(changed, {})).toThrow(
    /differ in version 2 of the task: first\. Retry with version 1/,
  );
  expect(() => planRetry(changed, { version: 3 })).toThrow('can go on with version 1 or 2');
  expect(planRetry(changed, { version: 1 })).toMatchObject({ version: 1 });
  // Nothing that is used differs.
  expect(planRetry(changed, { from: 'first' })).toMatchObject({ version: 2, kept: [] });
  expect(refuseRetry({ id: 'r', status: 'WAITING', erasedAt: null, isTest: false })?.message).toContain(
    'is WAITING',
  );
  expect(refuseRetry({ id: 'r', status: 'FAILED', erasedAt: new Date(), isTest: false })?.message).toContain(
    'erased',
  );
  expect(refuseRetry({ id: 'r', status: 'FAILED', erasedAt: null, isTest: false })).toBeNull();
});
