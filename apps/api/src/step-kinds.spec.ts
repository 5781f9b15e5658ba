import type { Step } from '@platform/contracts';
import fc from 'fast-check';
import './data/steps/data.action.ts';
import './events/emission/emit.action.ts';
import './events/waits/wait.action.ts';
import './tasks/execution/code.action.ts';
import './tasks/inbox/ask.action.ts';
import './tasks/kinds/branch.kind.ts';
import './tasks/kinds/each.kind.ts';
import './tasks/child-runs/task.action.ts';
import './tools/definition/tool.action.ts';
import './turns/lifecycle/agent.action.ts';
import { verifies } from '../e2e/verifies.ts';
import { isSimulated } from './tasks/simulation/simulations.service.ts';
import { formatProblem } from './tasks/definition/problems.ts';
import {
  findStepKind,
  inputOf,
  listStepKinds,
  resolveStep,
  RunsSteps,
} from './tasks/definition/step-kinds.ts';
import { checkFields, checkWorkflow, MAX_STEPS } from './tasks/definition/workflow.ts';

const KINDS = ['agent', 'ask', 'branch', 'code', 'data', 'each', 'emit', 'task', 'tool', 'wait'];

const STEPS: Step[] = [
  { id: 'load', kind: 'code', source: 'return 1' },
  {
    id: '_use2',
    kind: 'tool',
    toolId: 'search',
    method: 'get',
    input: { q: '{{inputs.q}}' },
    acceptStatus: [404, '5xx'],
  },
  { id: 'ask', kind: 'agent', agentId: 'a', inputs: { query: '{{steps.load.output}}' } },
  {
    id: 'tell',
    kind: 'emit',
    applicationIdentifier: 'desk',
    event: 'a.b',
    payload: { all: ['{{steps.ask.output.answer}}'] },
    idempotencyKey: 'order-{{inputs.n}}',
  },
  {
    id: 'store',
    kind: 'data',
    applicationIdentifier: 'desk',
    table: 'orders',
    operation: 'insert',
    values: [{ total: '{{steps.load.output}}' }],
  },
];

const problemsOf = (workflow: unknown) => checkWorkflow(workflow, ['workflow']).map(formatProblem);

describe('a workflow', () => {
  it('has steps of every kind, which refer to earlier ones', () => {
    expect(problemsOf({ steps: STEPS })).toEqual([]);
    expect(problemsOf({ steps: [...STEPS].reverse() })).toEqual([
      'workflow.steps.0.values has {{steps.load.output}}, but no earlier step has the id load',
      'workflow.steps.1.payload has {{steps.ask.output.answer}}, but no earlier step has the id ask',
      'workflow.steps.2.inputs has {{steps.load.output}}, but no earlier step has the id load',
    ]);
  });

  it('has at most 200 steps', () => {
    const steps = Array.from({ length: MAX_STEPS }, (_, i) => ({ id: `s${i}`, kind: 'code', source: '' }));
    expect(problemsOf({ steps })).toEqual([]);
    expect(problemsOf({ steps: [...steps, { id: 'last', kind: 'code', source: '' }] })).toEqual([
      'workflow.steps must be an array of 1 to 200 steps',
    ]);
  });

  it('is checked whatever it is, and only what has no problem has the shape of a workflow', () => {
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom('code', 'emit', '__proto__', 'a', '{{inputs.x}}'));
    const keys = [
      'id',
      'kind',
      'source',
      'payload',
      'event',
      'applicationIdentifier',
      '__proto__',
      'constructor',
    ];
    const step = fc.dictionary(fc.constantFrom(...keys), field, { noNullPrototype: false });
    const steps = fc.array(fc.oneof(step, fc.jsonValue()), { maxLength: 3 });
    fc.assert(
      fc.property(fc.oneof(fc.record({ steps }), fc.jsonValue()), (workflow) => {
        if (problemsOf(workflow).length > 0) return;
        const { steps: valid } = workflow as unknown as { steps: Step[] };
        for (const { id, kind } of valid) expect([typeof id, typeof kind]).toEqual(['string', 'string']);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a kind of step', () => {
  it('has one action', () => {
    expect(listStepKinds().map(({ kind }) => kind)).toEqual(KINDS);
    const { action, ...code } = findStepKind('code') ?? {};
    expect(() => RunsSteps(code as never)(action as never)).toThrow(
      'Steps of kind code already have an action',
    );
  });

  it.each(['shell', '__proto__', '', null, 1, {}])('is not %j', (kind) => {
    expect(findStepKind(kind)).toBeNull();
    expect(problemsOf({ steps: [{ id: 'a', kind }] })).toEqual([
      `workflow.steps.0.kind must be one of ${KINDS.join(', ')}`,
    ]);
  });

  it('has templates in its input, which is what a run shows, and in the fields that it names', () => {
    const values = { a: '{{inputs.n}}' };
    const names = { toolId: '{{inputs.n}}', method: '{{inputs.n}}', agentId: '{{inputs.n}}' };
    const steps = [
      { id: 'a', kind: 'code', source: '{{inputs.n}}' },
      { id: 'b', kind: 'tool', ...names, input: values },
      { id: 'c', kind: 'agent', ...names, inputs: values },
      {
        id: 'd',
        kind: 'emit',
        applicationIdentifier: '{{inputs.n}}',
        event: '{{inputs.n}}',
        payload: values,
        idempotencyKey: 'n-{{inputs.n}}',
      },
      { id: 'e', kind: 'gone', input: values },
      {
        id: 'f',
        kind: 'data',
        applicationIdentifier: 'desk',
        table: 'orders',
        operation: 'update',
        where: { id: 'n-{{inputs.n}}' },
        order: '{{inputs.n}}',
        values,
      },
    ] as Step[];
    const resolved = steps.map((step) => resolveStep(step, { inputs: { n: 3 }, trigger: null, steps: {} }));
    expect(resolved).toEqual([
      steps[0],
      { ...steps[1], input: { a: 3 } },
      { ...steps[2], inputs: { a: 3 } },
      { ...steps[3], payload: { a: 3 }, idempotencyKey: 'n-3' },
      steps[4],
      { ...steps[5], where: { id: 'n-3' }, values: { a: 3 }, cursor: undefined },
    ]);
    const written = { where: { id: 'n-3' }, values: { a: 3 } };
    expect(resolved.map(inputOf)).toEqual([undefined, { a: 3 }, { a: 3 }, { a: 3 }, undefined, written]);
  });

  it('has fields whose values may look like templates once they are resolved: they are not expanded again', () => {
    const emit = findStepKind('emit');
    if (emit === null) throw new Error('No kind emit');
    const fields = { applicationIdentifier: 'desk', event: 'a.b', payload: { text: '{{nothing}}' } };
    expect(checkFields(emit, fields, ['call'])).toEqual([]);
    expect(checkFields(emit, { ...fields, event: 1 }, ['call']).map(formatProblem)).toEqual([
      'call.event must be a text of 1 to 255 characters',
    ]);
  });
});

/** Which kinds a test leaves out, if their steps have effects as far as their kind can say. */
const leftOut = (effects: 'none' | 'real' | null, hasEffects: boolean) =>
  listStepKinds()
    .filter(({ kind }) => isSimulated(effects, kind, hasEffects))
    .map(({ kind }) => kind);

verifies(
  'workflow.test',
  'leaves out what has effects, and always what starts something elsewhere',
  async () => {
    expect(leftOut(null, true)).toEqual([]);
    expect(leftOut('real', true)).toEqual(['ask', 'emit', 'task']);
    expect(leftOut('none', false)).toEqual(['ask', 'emit', 'task', 'wait']);
    const step = { id: 'a', kind: 'a', operation: 'get' };
    const having = listStepKinds().filter((kind) => kind.hasEffects?.(step) ?? kind.acts);
    expect(having.map(({ kind }) => kind)).toEqual(['agent', 'emit', 'task', 'tool']);
    for (const operation of ['insert', 'update', 'delete'])
      expect(findStepKind('data')?.hasEffects?.({ ...step, operation })).toBe(true);
  },
);
