import { checkCondition } from './condition-fit.ts';

describe('a condition', () => {
  const before = ['load', 'charge'];

  it.each([
    'steps.load.output.total > 100',
    'steps["charge"].output && steps?.load?.output',
    'Object.keys(steps).length > 1 && steps[inputs.step]',
    'inputs.steps.other === "steps.missing" || item.steps.none',
    'this is no expression',
    `${'('.repeat(900)}1${')'.repeat(900)}`,
  ])('can be %s', (source) => {
    expect(checkCondition(source, before)).toBeNull();
  });

  it.each([
    ['steps.laod.output', 'names the step laod, but no earlier step has this id (did you mean load?)'],
    ['steps["xyz"].output > 1', 'names the step xyz, but no earlier step has this id'],
    ['[1].some((n) => steps?.later?.output > n)', 'names the step later, but no earlier step has this id'],
  ])('cannot be %s', (source, problem) => {
    expect(checkCondition(source, before)).toBe(problem);
  });
});
