import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Run, RunStep } from '@platform/contracts';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { loadAutomationTexts, startI18n } from '../../i18n.ts';
import { RunTimeline } from './run-timeline.tsx';

beforeAll(async () => {
  await startI18n();
  await loadAutomationTexts();
});
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
  simulated: null,
  startedAt: '2026-01-01T10:00:00.000Z',
  durationMs: 10,
  ...change,
});

const runOf = (...steps: RunStep[]) =>
  ({ attempt: 1, status: 'RUNNING', steps, questions: [] as Run['questions'] }) as Run;

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

test('a question leads to the inbox, from the step that asks', () => {
  const ask = step('approval', {
    scope: 'decide.approval',
    kind: 'ask',
    status: 'WAITING',
    durationMs: null,
  });
  const decide = step('decide', { kind: 'branch', status: 'WAITING', durationMs: null });
  const questions = [{ id: 'q-1', scope: 'decide.approval', message: 'Ship?' }];
  render(
    <MemoryRouter>
      <RunTimeline run={{ ...runOf(decide, ask), questions }} />
    </MemoryRouter>,
  );
  const link = screen.getByRole('link', { name: 'Answer in the inbox' });
  expect(link.getAttribute('href')).toBe('/inbox?question=q-1');
  expect(link.closest('.inside')).not.toBeNull();
});

test('a thousand items are drawn a page at a time, those that failed first, and their steps when they are opened', () => {
  const each = step('orders', { kind: 'each' });
  const charges = Array.from({ length: 1_000 }, (_, i) =>
    step('charge', { scope: `orders[${i}].charge`, ...(i === 700 && { status: 'FAILED' as const }) }),
  );
  render(<RunTimeline run={runOf(each, ...charges)} />);
  const items = () => [...document.querySelectorAll('.step-item')];
  expect(items()).toHaveLength(50);
  expect(items()[0]?.textContent).toBe('Item 700 Failed');
  expect(screen.queryByTitle('orders[700].charge')).toBeNull();
  const first = items()[0] as HTMLDetailsElement;
  first.open = true;
  fireEvent(first, new Event('toggle'));
  expect(within(first).getByTitle('orders[700].charge')).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: '50 of 1000 items: show more' }));
  expect(items()).toHaveLength(100);
});

test('items that failed are in the row of the step that repeats them, and what a test made up is marked', () => {
  const each = step('orders', { kind: 'each', items: { count: 5, failed: 2 } });
  const simulated = step('charge', { kind: 'tool', simulated: { by: 'run', runId: 'r-1' } });
  render(
    <MemoryRouter>
      <RunTimeline run={runOf(each, simulated)} />
    </MemoryRouter>,
  );
  const badges = [...document.querySelectorAll('summary > .badge')].map(({ textContent }) => textContent);
  expect(badges).toEqual(['2 of 5 failed', 'Simulated']);
  expect(screen.getByRole('link', { name: 'Open run' }).getAttribute('href')).toBe('/runs/r-1');
});

test('a retry begins at steps that no other contains', () => {
  const onRetry = jest.fn();
  const inside = step('charge', { scope: 'decide.charge' });
  render(<RunTimeline run={runOf(step('decide', { kind: 'branch' }), inside)} onRetry={onRetry} />);
  const buttons = screen.getAllByRole('button', { name: 'Retry from here', hidden: true });
  expect(buttons).toHaveLength(1);
  fireEvent.click(buttons[0] as HTMLElement);
  expect(onRetry).toHaveBeenCalledWith('decide');
});
