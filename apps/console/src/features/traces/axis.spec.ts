import { describe, expect, it } from '@jest/globals';
import type { TraceSpan } from '@platform/contracts';
import { createAxis, layOut, waitShare } from './axis.ts';

const START = Date.UTC(2026, 0, 1);

const span = (kind: TraceSpan['kind'], from: number, durationMs: number | null): TraceSpan => ({
  id: `${kind}-${from}`,
  kind,
  name: kind,
  status: 'succeeded',
  startedAt: new Date(START + from).toISOString(),
  durationMs,
});

describe('createAxis', () => {
  it('places bars in proportion to their times', () => {
    const spans = [span('model', 0, 500), span('tool', 500, 250), span('model', 750, 250)];
    const axis = createAxis(spans, START);
    expect([axis.totalMs, axis.isShortened]).toEqual([1_000, false]);
    expect(spans.map((one) => layOut(one, axis, START))).toEqual([
      { left: 0, width: 50 },
      { left: 50, width: 25 },
      { left: 75, width: 25 },
    ]);
  });

  it('draws long waits shorter, so that work stays visible', () => {
    const day = 86_400_000;
    const spans = [span('model', 0, 500), span('question', 500, day), span('model', 500 + day, 500)];
    const axis = createAxis(spans, START);
    expect([axis.totalMs, axis.isShortened]).toEqual([1_000 + day, true]);
    const [first, wait, last] = spans.map((one) => layOut(one, axis, START));
    expect(first?.width).toBeCloseTo(500 / 13.5, 5);
    expect(wait?.width).toBeCloseTo(350 / 13.5, 5);
    expect((last?.left ?? 0) + (last?.width ?? 0)).toBeCloseTo(100, 5);
  });

  it('lets what runs reach the present', () => {
    const tool = span('tool', 500, null);
    const spans = [span('model', 0, 500), tool];
    const axis = createAxis(spans, START + 2_000);
    expect(axis.totalMs).toBe(2_000);
    expect(layOut(tool, axis, START + 2_000)).toEqual({ left: 25, width: 75 });
  });

  it('shows bars of no time, also when nothing took any', () => {
    const tool = span('tool', 0, 0);
    expect(layOut(tool, createAxis([tool], START), START).width).toBeGreaterThan(0);
    expect(createAxis([], START).totalMs).toBe(0);
  });
});

it('knows the part of a call before its first output', () => {
  expect(waitShare({ ...span('model', 0, 200), firstTokenMs: 50 })).toBe(25);
  expect(waitShare(span('model', 0, 200))).toBeNull();
  expect(waitShare({ ...span('model', 0, 0), firstTokenMs: 0 })).toBeNull();
});
