import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { BulkRunAction, RunListing } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
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
  queryClient.clear();
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

type FetchPage = Parameters<typeof RunsList>[0]['fetchPage'];

let router: ReturnType<typeof createMemoryRouter>;

async function show(fetchPage: FetchPage, search = 'status=FAILED') {
  jest.spyOn(client.savedViews, 'list').mockResolvedValue({ items: [], nextCursor: null });
  const element = <RunsList queryKey={['rare']} fetchPage={fetchPage} taskId="t-1" empty={null} />;
  router = createMemoryRouter([{ path: '*', element }], { initialEntries: [`/?${search}`] });
  return renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

const searchOf = () => Object.fromEntries(new URLSearchParams(router.state.location.search));

/** Runs of which there is one page, whatever the filter. */
const page =
  (...runs: RunListing[]): FetchPage =>
  () =>
    Promise.resolve({ items: runs, nextCursor: null });

function watchBulkActions() {
  const preview = jest
    .spyOn(client.runs, 'previewBulkAction')
    .mockResolvedValue({ count: 1, limit: 10_000, isLimited: false, runningId: null });
  const action = { id: 'b-1', status: 'COMPLETED', total: 1, changed: 1, refused: 0, perSecond: 50 };
  const started = { ...action, lastError: null } as BulkRunAction;
  const start = jest.spyOn(client.runs, 'startBulkAction').mockResolvedValue(started);
  jest.spyOn(client.runs, 'bulkAction').mockResolvedValue(started);
  return { preview, start };
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

it('cancels the runs that are selected, once their number was shown and confirmed', async () => {
  const { preview, start } = watchBulkActions();
  const user = await show(page({ ...RUN, status: 'QUEUED' }, { ...RUN, id: 'r-2', status: 'RUNNING' }), '');
  await user.click(await screen.findByRole('checkbox', { name: 'Select r-1' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select r-2' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select r-2' }));
  screen.getByText('1 run selected');
  await user.click(screen.getByRole('button', { name: 'Cancel runs' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel runs' });
  await within(dialog).findByText('1 run matches');
  const select = { ids: ['r-1'] };
  expect(preview.mock.calls).toEqual([[{ action: 'cancel', select }]]);
  expect(start).not.toHaveBeenCalled();
  await user.click(within(dialog).getByRole('button', { name: 'Cancel runs' }));
  await user.click(await within(dialog).findByRole('button', { name: 'Done' }));
  expect(start.mock.calls).toEqual([[{ action: 'cancel', select }]]);
  await waitFor(() => expect(screen.queryByText('1 run selected')).toBeNull());
});

it('acts on all runs that match the filter, with what their status allows', async () => {
  const { preview } = watchBulkActions();
  const search = 'status=QUEUED&text=blue&errorCode=TIMEOUT';
  const user = await show(page({ ...RUN, status: 'QUEUED' }), search);
  const cancel = await screen.findByRole('button', { name: 'Cancel all that match' });
  expect(screen.queryByRole('button', { name: 'Retry all that match' })).toBeNull();
  await user.click(cancel);
  await screen.findByRole('dialog', { name: 'Cancel runs' });
  const select = { status: 'QUEUED', text: 'blue', errorCode: 'TIMEOUT', taskId: 't-1' };
  await waitFor(() => expect(preview.mock.calls).toEqual([[{ action: 'cancel', select }]]));
});

it('lets a search by text begin although its count has found none in the part that it looked at', async () => {
  const { preview } = watchBulkActions();
  preview.mockResolvedValue({ count: 0, limit: 10_000, isLimited: true, runningId: null });
  const user = await show(page(RUN), 'text=blue');
  await user.click(await screen.findByRole('button', { name: 'Cancel all that match' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel runs' });
  await within(dialog).findByText(/None was found/);
  expect(within(dialog).getByRole('button', { name: 'Cancel runs' })).toHaveProperty('disabled', false);
});

it('offers to act on all runs only with a filter', async () => {
  await show(page(RUN), '');
  await screen.findByText('r-1');
  expect(screen.queryByRole('button', { name: /that match/ })).toBeNull();
});

it('forgets the selection when the filter changes', async () => {
  const user = await show(page(RUN), '');
  await user.click(await screen.findByRole('checkbox', { name: 'Select r-1' }));
  await user.type(screen.getByRole('searchbox', { name: 'Search in runs, then Enter' }), 'x{Enter}');
  await waitFor(() => expect(screen.queryByText('1 run selected')).toBeNull());
  expect(screen.getByRole('checkbox', { name: 'Select r-1' })).toHaveProperty('checked', false);
});

it('keeps what is searched in the URL, from Enter on, and offers the codes of the runs', async () => {
  const error = { code: 'STEP_FAILED', message: 'No order' };
  const user = await show(page({ ...RUN, error }, { ...RUN, id: 'r-2', error }));
  await screen.findAllByText('STEP_FAILED', { selector: '.mono' });
  const code = screen.getByRole('combobox', { name: 'Error code, then Enter' });
  const options = document.getElementById(code.getAttribute('list') ?? '')?.querySelectorAll('option') ?? [];
  expect([...options].map(({ value }) => value)).toEqual(['STEP_FAILED']);
  await user.type(code, ' TIMEOUT');
  expect(searchOf()).toEqual({ status: 'FAILED' });
  await user.keyboard('{Enter}');
  const text = screen.getByRole('searchbox', { name: 'Search in runs, then Enter' });
  await user.type(text, 'order 17{Enter}');
  await waitFor(() =>
    expect(searchOf()).toEqual({ status: 'FAILED', errorCode: 'TIMEOUT', text: 'order 17' }),
  );
  // The field keeps the focus, for another search.
  expect(document.activeElement).toBe(text);
  await user.clear(text);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(searchOf()).toEqual({ status: 'FAILED', errorCode: 'TIMEOUT' }));
});
