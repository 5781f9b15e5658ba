import { describe, expect, it } from '@jest/globals';
import type { Step } from '@platform/contracts';
import { toStepForms } from '../step-forms.ts';
import { listTemplatePaths, type TemplateFacts } from './template-paths.ts';

const code = (id: string): Step => ({ id, kind: 'code', source: 'return context.execution.inputs.region;' });
const STEPS: Step[] = [
  { id: 'ask', kind: 'ask', message: 'How much?', fields: [{ key: 'sum', label: 'Sum', type: 'number' }] },
  {
    id: 'decide',
    kind: 'branch',
    branches: [{ when: 'true', steps: [code('inside'), code('next')] }],
    otherwise: [code('other')],
  },
  { id: 'all', kind: 'each', items: '{{trigger.payload.lines}}', steps: [code('line')] },
  code('last'),
];
const FACTS: TemplateFacts = { type: 'MANUAL', schemas: [], outputs: new Map() };

const list = (place: (string | number)[], facts: Partial<TemplateFacts> = {}) =>
  listTemplatePaths({ ...FACTS, ...facts }, toStepForms(STEPS), ['workflow', 'steps', ...place]);
const stepsIn = (paths: string[]) => [
  ...new Set(paths.flatMap((path) => /^steps\.(\w+)/.exec(path)?.[1] ?? [])),
];

describe('listTemplatePaths', () => {
  it('lists the steps before the place, the nearest first, and those inside of others only there', () => {
    expect(stepsIn(list([0]))).toEqual([]);
    expect(stepsIn(list([1, 'branches', 0, 'steps', 1]))).toEqual(['inside', 'ask']);
    expect(stepsIn(list([1, 'otherwise', 0]))).toEqual(['ask']);
    expect(stepsIn(list([3]))).toEqual(['all', 'decide', 'ask']);
    expect(list([1])).toContain('steps.ask.output.values.sum');
  });

  it('lists the inputs that steps read, and the trigger only where an event starts the task', () => {
    expect(list([3])).toContain('inputs.region');
    expect(list([3])).not.toContain('trigger.payload');
    expect(list([3], { type: 'EVENT' })).toContain('trigger.payload');
  });

  it('lists the fields of the event, those of an item where it is repeated, and what a test has returned', () => {
    const line = { type: 'object', properties: { price: { type: 'number' }, 'a.b': { type: 'string' } } };
    const schemas = [{ type: 'object', properties: { lines: { type: 'array', items: line } } }];
    const outputs = new Map<string, unknown>([['ask', { values: { sum: 3 }, at: [{ x: 1 }] }]]);
    const inside = list([2, 'steps', 0], { type: 'EVENT', schemas, outputs });
    expect(inside).toEqual(
      expect.arrayContaining([
        'item',
        'index',
        'item.price',
        'trigger.payload.lines.0.price',
        'trigger.payload.lines.0["a.b"]',
        'trigger.payload.lines.length',
        'steps.ask.output.at.0.x',
        'steps.ask.output.at.length',
      ]),
    );
    expect(list([3], { type: 'EVENT', schemas })).not.toContain('item');
    expect(list([2], { type: 'EVENT', schemas })).not.toContain('item');
  });
});
