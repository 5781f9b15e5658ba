import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { RunListing } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { RunsList } from './runs-list.tsx';

const space = { id: 's1', name: 'Space', role: 'MEMBER' as const };

beforeEach(() => {
  setSession({
    accessToken: 'token',
    user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    space,
    spaces: [space],
  } as never);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

const RUN = {
  id: 'r-1',
  taskId: 't-1',
  taskName: 'Weigh',
  status: 'FAILED',
  origin: 'MANUAL',
  trigger: null,
  attempt: 1,
  durationMs: 5,
  createdAt: '2026-01-01T00:00:00.000Z',
} as RunListing;

async function show(fetchPage: Parameters<typeof RunsList>[0]['fetchPage']) {
  jest.spyOn(client.savedViews, 'list').mockResolvedValue({ items: [], nextCursor: null });
  return renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={['/?status=FAILED']}>
        <RunsList queryKey={['rare']} fetchPage={fetchPage} empty={null} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it('shows a run that is found only on a later page', async () => {
  await show(({ cursor }) =>
    Promise.resolve(
      cursor === undefined ? { items: [], nextCursor: 'later' } : { items: [RUN], nextCursor: null },
    ),
  );
  await screen.findByText('r-1');
});

it('stops a search in vain, and says so, until the user goes on', async () => {
  let pages = 0;
  const user = await show(() => {
    pages++;
    return Promise.resolve(
      pages > 10 ? { items: [RUN], nextCursor: null } : { items: [], nextCursor: 'later' },
    );
  });
  await screen.findByText('Nothing found so far');
  expect([pages, screen.queryByRole('table')]).toEqual([10, null]);
  await user.click(screen.getByRole('button', { name: 'Search further' }));
  await screen.findByText('r-1');
});
