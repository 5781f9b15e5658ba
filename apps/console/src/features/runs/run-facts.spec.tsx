import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { RunListing } from '@platform/contracts';
import { act, cleanup, render, screen } from '@testing-library/react';
import { startI18n } from '../../i18n.ts';
import { numberAttempts, RunDuration } from './run-facts.tsx';

beforeAll(startI18n);
afterEach(cleanup);

const START = Date.parse('2026-01-01T10:00:00.000Z');
const running = (durationMs: number | null) =>
  ({ startedAt: new Date(START).toISOString(), durationMs }) as RunListing;
const shown = () => screen.getByRole('paragraph').textContent;

it('ticks each second while the run goes on, although nothing is loaded', () => {
  jest.useFakeTimers({ now: START + 1_170 });
  const { rerender } = render(
    <p>
      <RunDuration run={running(null)} />
    </p>,
  );
  const seen = [shown()];
  for (const ms of [1_000, 1_000, 60_000]) {
    act(() => {
      jest.advanceTimersByTime(ms);
    });
    seen.push(shown());
  }
  expect(seen).toEqual(['1 sec', '2 sec', '3 sec', '1:03']);
  rerender(
    <p>
      <RunDuration run={running(64_250)} />
    </p>,
  );
  expect(shown()).toBe('1.1 min');
  // Nobody looks at the clock.
  expect(jest.getTimerCount()).toBe(0);
});

it('counts no attempt for what only waited, or was handed over', () => {
  const statuses = ['WAITED', 'HANDED_OVER', 'FAILED', 'WAITED', 'SUCCEEDED'] as const;
  expect(numberAttempts(statuses.map((status) => ({ status })))).toEqual([1, 1, 1, 2, 2]);
});
