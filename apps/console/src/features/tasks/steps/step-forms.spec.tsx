import { describe, expect, it } from '@jest/globals';
import type { Step } from '@platform/contracts';
import {
  copyStep,
  createStep,
  formatStep,
  listSteps,
  parseStep,
  toStepForms,
  toSteps,
} from './step-forms.ts';

const each: Step = {
  id: 'orders',
  kind: 'each',
  items: '{{inputs.orders}}',
  steps: [
    { id: 'load', kind: 'code', source: 'return 1;' },
    { id: 'check', kind: 'code', source: 'return context.steps.load.output + context.steps.before.output;' },
  ],
};

const toForm = (step: Step) => toStepForms([step]).slice(0, 1);

describe('createStep', () => {
  it('finds an id that no step has, also inside of others', () => {
    const first = createStep('code', []);
    const second = createStep('emit', [first]);
    expect([first.id, second.id]).toEqual(['step1', 'step2']);
    expect(createStep('agent', [second]).id).toBe('step3');
    const branch = { ...createStep('branch', []), otherwise: [{ ...first, id: 'step3' }] };
    expect(createStep('code', [branch]).id).toBe('step4');
  });
});

describe('copyStep', () => {
  it('gives all steps of the copy new ids, and lets it refer to its own', () => {
    const forms = toStepForms([each]);
    const copies = toSteps(forms.map((form) => copyStep(form, forms)));
    expect(copies).toEqual([
      {
        id: 'orders_2',
        kind: 'each',
        items: '{{inputs.orders}}',
        steps: [
          { id: 'load_2', kind: 'code', source: 'return 1;' },
          {
            id: 'check_2',
            kind: 'code',
            source: 'return context.steps.load_2.output + context.steps.before.output;',
          },
        ],
      },
    ]);
  });

  it('counts on when a copy is copied', () => {
    const forms = toStepForms([{ id: 'a_2', kind: 'code', source: 'x' }]);
    expect(forms.map((form) => copyStep(form, forms).id)).toEqual(['a_3']);
  });
});

describe('the JSON of a step', () => {
  it('becomes the step that it came from, in any order of its fields', () => {
    const [form] = toForm({ ...each, name: 'Orders', retry: { attempts: 1 } });
    expect(form).toBeDefined();
    if (form === undefined) return;
    const json = formatStep(form);
    expect(Object.keys(JSON.parse(json) as object)).not.toContain('id');
    const reversed = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json) as object).reverse()));
    const parsed = parseStep({ id: 'orders', kind: 'each', json: reversed });
    expect(parsed && toSteps([parsed])).toEqual(toSteps([form]));
    expect(toSteps([{ id: 'orders', kind: 'each', json }])).toEqual(toSteps([form]));
  });

  it('stays JSON if the form cannot show it', () => {
    const parse = (json: string) => parseStep({ id: 'a', kind: 'branch', json });
    expect(parse('{')).toBeUndefined();
    expect(parse('{"branches": 1}')).toBeUndefined();
    expect(parse('{"branches": [], "color": "red"}')).toBeUndefined();
    expect(parse('{"branches": []}')).toBeDefined();
  });
});

it('lists each step before the steps that it contains, with its place', () => {
  const places = listSteps(toStepForms([each, { id: 'last', kind: 'code', source: 'x' }]));
  expect(places.map(({ path, step }) => `${path.slice(2).join('.')} ${step.id}`)).toEqual([
    '0 orders',
    '0.steps.0 load',
    '0.steps.1 check',
    '1 last',
  ]);
});
