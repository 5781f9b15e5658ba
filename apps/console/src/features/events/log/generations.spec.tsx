import { afterEach, describe, expect, it } from '@jest/globals';
import type { EnvelopeRun, SubscriptionVerdict, VerdictOutcome } from '@platform/contracts';
import { cleanup, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { Verdict } from './generations.tsx';

afterEach(cleanup);

const run: EnvelopeRun = {
  runId: 'r-1',
  taskId: 't-1',
  taskName: 'Ship',
  subscriptionId: 's-1',
  status: 'FAILED',
  createdAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:00:01.500Z',
  durationMs: 1_500,
};

async function show(
  outcome: VerdictOutcome,
  fields: Partial<SubscriptionVerdict> = {},
  started?: EnvelopeRun,
) {
  const verdict = { subscriptionId: 's-1', taskId: 't-1', outcome, reason: null, ...fields };
  await renderInApp(
    <MemoryRouter>
      <ul>
        <Verdict envelopeId="e-1" verdict={verdict} taskName={() => 'Bill'} run={started} />
      </ul>
    </MemoryRouter>,
  );
}

describe('a verdict', () => {
  it('leads to the run, with its status and time', async () => {
    await show('MATCHED', {}, run);
    const link = screen.getByRole('link', { name: /Failed.*Open run.*1\.5 sec/ });
    expect(link.getAttribute('href')).toBe('/runs/r-1');
    screen.getByRole('link', { name: 'Ship' });
  });

  it('gives the reason of the service as text, and leads to the filter', async () => {
    await show('FILTER_MISMATCH', { reason: '<b>total</b>: 40, wanted one of [50,100]' });
    screen.getByText('<b>total</b>: 40, wanted one of [50,100]');
    const link = screen.getByRole('link', { name: 'Edit filter' });
    expect(link.getAttribute('href')).toBe('/events/subscriptions?subscription=s-1&because=e-1');
    screen.getByRole('link', { name: 'Bill' });
  });

  it.each([
    ['DISABLED', 'The subscription was disabled when the event was dispatched.', 'Open subscription'],
    ['TASK_DISABLED', /task was disabled.*no run was started/, 'Open subscription'],
    ['CREATED_AFTER_EMISSION', /did not exist.*A replay reaches it/, 'Open subscription'],
    ['FILTER_ERROR', 'The filter could not be evaluated.', 'Edit filter'],
  ] as const)('%s is explained', async (outcome, text, link) => {
    await show(outcome);
    screen.getByText(text);
    screen.getByRole('link', { name: link });
  });
});
