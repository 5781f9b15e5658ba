import { describe, expect, it } from '@jest/globals';
import { completeExpression, completeTemplate } from './completion.ts';

const PATHS = ['trigger.payload.order', 'trigger.payload.lines.0.price', 'inputs.order', 'steps.load.output'];
const paths = () => PATHS;

/** The text after the first suggestion was taken; `|` is the caret. */
function take(complete: typeof completeTemplate, marked: string): string | null {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const found = complete(text, caret, paths);
  const [first] = found?.items ?? [];
  return found && first ? text.slice(0, found.from) + first.insert + text.slice(found.to) : null;
}

describe('completeTemplate', () => {
  it.each([
    ['Ship {{|', 'Ship {{trigger.payload.order}}'],
    ['Ship {{ lines|', 'Ship {{ trigger.payload.lines.0.price}}'],
    ['{{inp| now', '{{inputs.order}} now'],
    ['{{inp|}} now', '{{inputs.order}} now'],
    ['{{inp|ut.x}} now', '{{inputs.order}} now'],
    ['{{inp|} now', '{{inputs.order}} now'],
    ['{{a}} and {{steps|', '{{a}} and {{steps.load.output}}'],
  ])('completes %j', (marked, completed) => {
    expect(take(completeTemplate, marked)).toBe(completed);
  });

  it.each(['no template|', '{{done}}|', '{|', '{{nothing|', '{{inputs.order ?? "x"|', ''])(
    'suggests nothing in %j',
    (marked) => {
      expect(take(completeTemplate, marked)).toBeNull();
    },
  );

  it('shows first what begins with what is typed', () => {
    const found = completeTemplate('{{In', 4, () => ['steps.x.output.index', 'inputs.a', 'item', 'index']);
    expect(found?.items.map(({ label }) => label)).toEqual(['inputs.a', 'index', 'steps.x.output.index']);
  });
});

describe('completeExpression', () => {
  it.each([
    ['steps.l|', 'steps.load.output'],
    ['!(trigger.payload.li| > 1)', '!(trigger.payload.lines[0].price > 1)'],
    ['inputs.a > 1 && st|', 'inputs.a > 1 && steps.load.output'],
  ])('completes %j', (marked, completed) => {
    expect(take(completeExpression, marked)).toBe(completed);
  });

  // Enter would take what nobody asked for.
  it.each(['inputs.order|', 's|', '1000|', "'steps|", 'x.steps|'])('suggests nothing in %j', (marked) => {
    expect(take(completeExpression, marked)).toBeNull();
  });
});
