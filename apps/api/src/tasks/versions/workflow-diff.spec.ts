import { describe, expect, it } from '@jest/globals';
import type { Step, Workflow } from '@platform/contracts';
import { compareWorkflows } from './workflow-diff.ts';

const step = (id: string, source = 'return 1;') => ({ id, kind: 'code', source });
const workflow = (...steps: object[]): Workflow => ({ steps: steps as Step[] });
const compare = (before: object[], after: object[]) =>
  compareWorkflows(workflow(...before), workflow(...after));
/** The changes as words, without fields. */
const summary = (before: object[], after: object[]) =>
  compare(before, after).map(({ id, change, isMoved }) => `${change} ${id}${isMoved ? ', moved' : ''}`);

describe('the difference of two workflows', () => {
  it('is empty for workflows that are equal, whatever the order of their fields', () => {
    const one = { id: 'a', kind: 'tool', input: { x: 1, y: [2] } };
    const same = { kind: 'tool', input: { y: [2], x: 1 }, id: 'a' };
    expect(compare([one], [same])).toEqual([]);
  });

  it('has the fields that differ, and all of a step that was added or removed', () => {
    const before = [step('a'), { id: 'b', kind: 'agent', agentId: 'x', inputs: { query: 'q' } }];
    const after = [step('a', 'return 2;'), step('c')];
    expect(compare(before, after)).toEqual([
      {
        id: 'a',
        change: 'changed',
        isMoved: false,
        fields: [{ field: 'source', before: 'return 1;', after: 'return 2;' }],
      },
      {
        id: 'c',
        change: 'added',
        isMoved: false,
        fields: [
          { field: 'kind', after: 'code' },
          { field: 'source', after: 'return 1;' },
        ],
      },
      {
        id: 'b',
        change: 'removed',
        isMoved: false,
        fields: [
          { field: 'kind', before: 'agent' },
          { field: 'agentId', before: 'x' },
          { field: 'inputs', before: { query: 'q' } },
        ],
      },
    ]);
  });

  it('tells a field that is null from one that is absent', () => {
    const [change] = compare([{ ...step('a'), name: null }], [step('a')]);
    expect(change?.fields).toEqual([{ field: 'name', before: null }]);
  });

  it('names as few moved steps as explain the order', () => {
    expect(summary([step('a'), step('b'), step('c')], [step('c'), step('a'), step('b')])).toEqual([
      'moved c, moved',
    ]);
    expect(summary([step('a'), step('b')], [step('new'), step('a'), step('b')])).toEqual(['added new']);
    expect(summary([step('a'), step('b')], [step('b', 'x'), step('a')])).toEqual([
      'changed b',
      'moved a, moved',
    ]);
  });

  it('looks into branches and repetitions', () => {
    const inside = (...steps: object[]) => [
      {
        id: 'decide',
        kind: 'branch',
        branches: [{ when: 'inputs.total > 5', steps }],
        otherwise: [step('else')],
      },
      { id: 'rows', kind: 'each', items: '{{inputs.rows}}', steps: [step('row')] },
    ];
    expect(compare(inside(step('a')), inside(step('a')))).toEqual([]);
    expect(summary(inside(step('a')), inside(step('a', 'x'), step('b')))).toEqual(['changed a', 'added b']);
    const [decide, rows] = inside(step('a'));
    const otherwise = { ...decide, otherwise: [] };
    const moved = { ...rows, steps: [step('row'), step('else')] };
    expect(summary([decide, rows] as object[], [otherwise, moved])).toEqual(['moved else, moved']);
    const condition = { ...decide, branches: [{ when: 'true', steps: [step('a')] }] };
    expect(compare([decide] as object[], [condition])).toEqual([
      {
        id: 'decide',
        change: 'changed',
        isMoved: false,
        fields: [{ field: 'branches', before: [{ when: 'inputs.total > 5' }], after: [{ when: 'true' }] }],
      },
    ]);
  });

  it('knows ids that are names of Object.prototype', () => {
    expect(summary([step('__proto__'), step('constructor')], [step('constructor')])).toEqual([
      'removed __proto__',
    ]);
  });

  it('does not fail for values that are no workflow any more', () => {
    expect(summary([{ id: 'a', kind: 'branch', branches: [null, { steps: 3 }] }], [step('a')])).toEqual([
      'changed a',
    ]);
  });
});
