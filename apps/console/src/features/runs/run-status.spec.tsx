import { afterEach, expect, it, jest } from '@jest/globals';
import type { RunListing, RunStatus } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys, queryClient, setSession } from '../../api.ts';
import { envelopeQuery } from '../events/log/envelope-query.ts';
import { runQuery } from './run-query.ts';
import { RunsList } from './runs-list.tsx';

const SPACE = { id: 's-1', name: 'Space', role: 'ADMIN' };
const SESSION = { accessToken: '', user: { id: 'u-1', name: 'Ada' }, space: SPACE, spaces: [SPACE] } as never;

afterEach(() => {
  cleanup();
  setSession(null);
});

/** How long until a query is loaded again whose data is that. */
function intervalOf(every: unknown, data: object): unknown {
  return (every as (query: { state: { data: object } }) => unknown)({ state: { data } });
}

const STATUSES: RunStatus[] = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'INTERRUPTED',
];
/** A run can wait for days, and the stream of changes tells when it goes on. */
const EXPECTED = [1_000, 1_000, 30_000, false, false, false, false];

it('loads a run again each second only while it is in motion', () => {
  const { refetchInterval } = runQuery('r-1');
  const intervals = STATUSES.map((status) => intervalOf(refetchInterval, { status }));
  expect(intervals).toEqual(EXPECTED);
});

it('loads an envelope again as its runs need it', () => {
  const { refetchInterval } = envelopeQuery('e-1');
  const withRuns = (...runs: RunStatus[]) => ({
    status: 'DISPATCHED',
    generations: [{ runs: runs.map((status) => ({ status })) }],
  });
  expect(STATUSES.map((status) => intervalOf(refetchInterval, withRuns(status)))).toEqual(EXPECTED);
  expect(intervalOf(refetchInterval, withRuns('WAITING', 'RUNNING', 'FAILED'))).toBe(1_000);
  expect(intervalOf(refetchInterval, { status: 'PENDING', generations: [] })).toBe(1_000);
});

it.each([
  { status: 'RUNNING', every: 2_000 },
  { status: 'WAITING', every: 30_000 },
  { status: 'SUCCEEDED', every: false },
] as const)('loads a list again whose liveliest run is $status', async ({ status, every }) => {
  setSession(SESSION);
  jest.spyOn(client.savedViews, 'list').mockResolvedValue({ items: [], nextCursor: null });
  const run = {
    id: 'r-1',
    taskId: 't-1',
    taskName: 'Weigh',
    status,
    origin: 'MANUAL',
    trigger: null,
    attempt: 1,
    durationMs: 5,
    createdAt: '2026-01-01T00:00:00.000Z',
  } as RunListing;
  const fetchPage = () => Promise.resolve({ items: [run], nextCursor: null });
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <RunsList queryKey={[...keys.runs, 'listed']} fetchPage={fetchPage} taskId="t-1" empty={null} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByText('r-1');
  const query = queryClient.getQueryCache().find({ queryKey: [...keys.runs, 'listed'], exact: false });
  const refetchInterval = query?.observers[0]?.options.refetchInterval;
  expect(typeof refetchInterval === 'function' && query && refetchInterval(query)).toBe(every);
});
