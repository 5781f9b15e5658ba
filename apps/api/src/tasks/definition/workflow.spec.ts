import type { Step } from '@platform/contracts';
import fc from 'fast-check';
import { formatProblem } from './problems.ts';
import { checkResolvedFields, checkWorkflow, MAX_STEPS } from './workflow.ts';

const STEPS: Step[] = [
  { id: 'load', kind: 'code', source: 'return 1' },
  { id: '_use2', kind: 'tool', toolId: 'search', method: 'get', input: { q: '{{inputs.q}}' } },
  { id: 'ask', kind: 'agent', agentId: 'a', inputs: { query: '{{steps.load.output}}' } },
  {
    id: 'tell',
    kind: 'emit',
    applicationIdentifier: 'desk',
    event: 'a.b',
    payload: { all: ['{{steps.ask.output.answer}}'] },
  },
];

const problemsOf = (workflow: unknown) => checkWorkflow(workflow, ['workflow']).map(formatProblem);

describe('a workflow', () => {
  it('has steps of every kind, which refer to earlier ones', () => {
    expect(problemsOf({ steps: STEPS })).toEqual([]);
    expect(problemsOf({ steps: [...STEPS].reverse() })).toEqual([
      'workflow.steps.0.payload has {{steps.ask.output.answer}}, but no earlier step has the id ask',
      'workflow.steps.1.inputs has {{steps.load.output}}, but no earlier step has the id load',
    ]);
  });

  it('has at most 50 steps', () => {
    const steps = Array.from({ length: MAX_STEPS }, (_, i) => ({ id: `s${i}`, kind: 'code', source: '' }));
    expect(problemsOf({ steps })).toEqual([]);
    expect(problemsOf({ steps: [...steps, { id: 'last', kind: 'code', source: '' }] })).toEqual([
      'workflow.steps must be an array of 1 to 50 steps',
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

describe('resolved fields', () => {
  it('may look like templates: they are not expanded again', () => {
    const fields = { applicationIdentifier: 'desk', event: 'a.b', payload: { text: '{{nothing}}' } };
    expect(checkResolvedFields('emit', fields, ['call'])).toEqual([]);
    expect(checkResolvedFields('emit', { ...fields, event: 1 }, ['call']).map(formatProblem)).toEqual([
      'call.event must be a text of 1 to 255 characters',
    ]);
  });
});
