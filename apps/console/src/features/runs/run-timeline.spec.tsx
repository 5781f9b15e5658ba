import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Run, RunStep } from '@platform/contracts';
import { cleanup, render, screen } from '@testing-library/react';
import { startI18n } from '../../i18n.ts';
import { RunTimeline } from './run-timeline.tsx';

beforeAll(() => startI18n());
afterEach(cleanup);

const step = (id: string, change: Partial<RunStep> = {}): RunStep => ({
  id,
  scope: id,
  stepAttempt: 1,
  kind: 'code',
  status: 'SUCCEEDED',
  input: null,
  output: null,
  log: '',
  startedAt: '2026-01-01T10:00:00.000Z',
  durationMs: 10,
  ...change,
});

const runOf = (...steps: RunStep[]) => ({ attempt: 1, status: 'RUNNING', steps }) as Run;

const openSteps = () =>
  screen
    .getAllByRole('group')
    .flatMap((one) => (one.hasAttribute('open') ? one.querySelector('.mono')?.textContent : []));

test('the log of the step that executes is open, until a step fails', () => {
  const running = step('second', { status: 'RUNNING', durationMs: null, log: '10 of 90 rows\n' });
  const { rerender } = render(<RunTimeline run={runOf(step('first'), running)} />);
  expect(openSteps()).toEqual(['second']);
  expect(screen.getByText('10 of 90 rows').className).toContain('step-log');
  rerender(<RunTimeline run={runOf(step('first'), { ...running, log: '10 of 90 rows\n20 of 90 rows\n' })} />);
  expect(screen.queryByText(/20 of 90 rows/)).not.toBeNull();
  const error = { code: 'STEP_FAILED', message: 'No' };
  rerender(<RunTimeline run={runOf(step('first', { status: 'FAILED', error }), running)} />);
  expect(openSteps()).toEqual(['first']);
});
