import { describe, expect, it } from '@jest/globals';
import type { RunStep } from '@platform/contracts';
import { layOutSteps, nestSteps, sortItems, type StepNode } from './timeline.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const step = (after: number, durationMs: number | null) =>
  ({ startedAt: new Date(START + after).toISOString(), durationMs }) as RunStep;

describe('layOutSteps', () => {
  it('places the steps one after the other', () => {
    const { bars, totalMs } = layOutSteps([step(0, 250), step(250, 750)], START);
    expect(totalMs).toBe(1_000);
    expect(bars).toEqual([
      { start: 0, width: 25 },
      { start: 25, width: 75 },
    ]);
  });

  it('extends a running step to the current time', () => {
    expect(layOutSteps([step(0, 100), step(100, null)], START + 400)).toEqual({
      totalMs: 400,
      bars: [
        { start: 0, width: 25 },
        { start: 25, width: 75 },
      ],
    });
  });

  it('keeps steps without a duration visible, inside the chart', () => {
    const { bars } = layOutSteps([step(0, 1_000), step(1_000, 0)], START);
    expect(bars[1]).toEqual({ start: 99.2, width: 0.8 });
    expect(layOutSteps([step(0, 0)], START)).toEqual({ totalMs: 0, bars: [{ start: 0, width: 0.8 }] });
    expect(layOutSteps([], START)).toEqual({ totalMs: 0, bars: [] });
  });
});

describe('nestSteps', () => {
  const at = (scope: string, status: RunStep['status'] = 'SUCCEEDED') => ({ scope, status }) as RunStep;
  const outline = (nodes: readonly StepNode[]): unknown[] =>
    nodes.map(({ step: { scope }, children, items }) => [
      scope,
      ...outline(children),
      ...items.map(({ index, status, nodes: inside }) => [index, status, ...outline(inside)]),
    ]);

  it('puts steps into their branches, and into the items of what repeats them', () => {
    const steps = [
      at('load'),
      at('orders'),
      at('orders[1].size'),
      at('orders[0].size'),
      at('orders[1].size.large', 'WAITING'),
      at('orders[0].rows[10].cell', 'FAILED'),
      at('gone.step'),
    ];
    expect(outline(nestSteps(steps, []))).toEqual([
      ['load'],
      [
        'orders',
        [0, 'SUCCEEDED', ['orders[0].size']],
        [1, 'SUCCEEDED', ['orders[1].size', ['orders[1].size.large']]],
      ],
      ['orders[0].rows[10].cell'],
      ['gone.step'],
    ]);
  });

  it('shows first the items that need attention', () => {
    const [each] = nestSteps(
      [
        at('all'),
        at('all[0].a'),
        at('all[1].a', 'FAILED'),
        at('all[2].a', 'SKIPPED'),
        at('all[3].a', 'WAITING'),
      ],
      [],
    );
    expect(sortItems(each?.items ?? []).map(({ index }) => index)).toEqual([1, 3, 0, 2]);
  });
});
