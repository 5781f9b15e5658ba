import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Page, RunListing } from '@platform/contracts';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { keys } from '../../api.ts';
import { useList } from '../../ui/lists/use-list.ts';
import { catchUp, refresh } from './refresh.ts';

type Row = Pick<RunListing, 'id' | 'status'>;

const client = new QueryClient();
let rows: Row[];
const fetchPage = jest.fn(({ cursor }: { cursor?: string | undefined }): Promise<Page<Row>> => {
  const from = cursor === undefined ? 0 : Number(cursor);
  const items = rows.slice(from, from + 2);
  return Promise.resolve({ items, nextCursor: from + 2 < rows.length ? String(from + 2) : null });
});

function List() {
  const list = useList<Row>([...keys.runs, {}], fetchPage);
  return (
    <>
      <p>{list.items.map(({ id, status }) => `${id} ${status}`).join(', ')}</p>
      <button onClick={list.loadMore}>{list.hasMore ? 'More' : 'All'}</button>
    </>
  );
}

function Entry({ id }: { id: string }) {
  const entry = useQuery({
    queryKey: keys.run(id),
    queryFn: () => Promise.resolve(rows.find((row) => row.id === id) ?? null),
  });
  return <output>{entry.data?.status}</output>;
}

const show = (id = '3') =>
  render(
    <QueryClientProvider client={client}>
      <List />
      <Entry id={id} />
    </QueryClientProvider>,
  );

beforeEach(() => {
  rows = ['5', '4', '3', '2', '1'].map((id) => ({ id, status: 'RUNNING' }));
});
afterEach(() => {
  cleanup();
  client.clear();
  fetchPage.mockClear();
});

it('shows the same status in a list and in its drawer', async () => {
  show('5');
  await screen.findByText('5 RUNNING, 4 RUNNING');
  rows = rows.map((row) => (row.id === '5' ? { ...row, status: 'SUCCEEDED' } : row));
  await refresh(client, [{ kind: 'run', id: '5', status: 'SUCCEEDED' }]);
  await screen.findByText('5 SUCCEEDED, 4 RUNNING');
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('SUCCEEDED'));
});

it('loads only the newest page of a long list', async () => {
  show();
  const button = await screen.findByText('More');
  button.click();
  await screen.findByText(/2 RUNNING$/);
  fetchPage.mockClear();
  rows = [{ id: '6', status: 'QUEUED' }, ...rows];
  await refresh(client, [{ kind: 'run', id: '6', status: 'QUEUED' }]);
  await screen.findByText('6 QUEUED, 5 RUNNING, 4 RUNNING, 3 RUNNING, 2 RUNNING');
  expect(fetchPage).toHaveBeenCalledTimes(1);
});

it('loads anew what was read before a change, or never arrives', async () => {
  const never = new Promise<never>(() => undefined);
  fetchPage.mockReturnValueOnce(never);
  show();
  await waitFor(() => expect(fetchPage).toHaveBeenCalledTimes(1));
  // The first load.
  const changed = (status: Row['status']) => {
    rows = rows.map((row) => ({ ...row, status }));
    return refresh(client, [{ kind: 'run', id: null, status: null }]);
  };
  await changed('WAITING');
  await screen.findByText('5 WAITING, 4 WAITING');
  // Another one.
  fetchPage.mockReturnValueOnce(never);
  void client.invalidateQueries({ queryKey: [...keys.runs, {}] });
  await changed('FAILED');
  await screen.findByText('5 FAILED, 4 FAILED');
  fetchPage.mockReturnValueOnce(never);
  void client.invalidateQueries({ queryKey: [...keys.runs, {}] });
  rows = rows.map((row) => ({ ...row, status: 'SUCCEEDED' }));
  await catchUp(client);
  await screen.findByText('5 SUCCEEDED, 4 SUCCEEDED');
});

it('catches up with what nobody tells of', async () => {
  const load = jest.fn(() => Promise.resolve(null));
  function Members() {
    useQuery({ queryKey: keys.members, queryFn: load });
    return <List />;
  }
  render(
    <QueryClientProvider client={client}>
      <Members />
    </QueryClientProvider>,
  );
  await screen.findByText('5 RUNNING, 4 RUNNING');
  await catchUp(client);
  expect([load, fetchPage].map(({ mock }) => mock.calls.length)).toEqual([2, 1]);
});

it('does not give up a further page that is being loaded', async () => {
  show();
  const button = await screen.findByText('More');
  let arrive: () => void = () => undefined;
  fetchPage.mockReturnValueOnce(
    new Promise((resolve) => (arrive = () => resolve({ items: rows.slice(2, 4), nextCursor: null }))),
  );
  button.click();
  await waitFor(() => expect(fetchPage).toHaveBeenCalledTimes(2));
  const refreshed = refresh(client, [{ kind: 'run', id: '5', status: 'RUNNING' }]);
  arrive();
  await refreshed;
  await screen.findByText('5 RUNNING, 4 RUNNING, 3 RUNNING, 2 RUNNING');
});

it('leaves alone what a change is not about', async () => {
  show();
  await screen.findByText('5 RUNNING, 4 RUNNING');
  fetchPage.mockClear();
  await refresh(client, [{ kind: 'agent', id: '5', status: null }]);
  expect(fetchPage).not.toHaveBeenCalled();
  expect(client.getQueryState(keys.run('3'))?.isInvalidated).toBe(false);
  await refresh(client, [{ kind: 'run', id: '1', status: 'FAILED' }]);
  expect(client.getQueryState(keys.run('3'))?.dataUpdateCount).toBe(1);
  await refresh(client, [{ kind: 'reset' }]);
  await waitFor(() => expect(client.getQueryState(keys.run('3'))?.dataUpdateCount).toBe(2));
});

it('loads a list that is sorted oldest first as a whole', async () => {
  rows = ['1', '2', '3', '4', '5'].map((id) => ({ id, status: 'RUNNING' }));
  show('1');
  (await screen.findByRole('button', { name: 'More' })).click();
  await screen.findByText('1 RUNNING, 2 RUNNING, 3 RUNNING, 4 RUNNING');
  rows = rows.map((row) => ({ ...row, status: 'SUCCEEDED' }));
  await refresh(client, [{ kind: 'run', id: '1', status: 'SUCCEEDED' }]);
  await screen.findByText('1 SUCCEEDED, 2 SUCCEEDED, 3 SUCCEEDED, 4 SUCCEEDED');
});

it('shows what has changed while a further page was loaded', async () => {
  show('5');
  await screen.findByText('5 RUNNING, 4 RUNNING');
  const page = Promise.withResolvers<undefined>();
  const fetchNow = fetchPage.getMockImplementation();
  fetchPage.mockImplementationOnce(async (query) => {
    await page.promise;
    return fetchNow?.(query) ?? { items: [], nextCursor: null };
  });
  screen.getByRole('button', { name: 'More' }).click();
  await waitFor(() => expect(fetchPage).toHaveBeenCalledTimes(2));
  rows = rows.map((row) => (row.id === '5' ? { ...row, status: 'SUCCEEDED' } : row));
  const refreshed = refresh(client, [{ kind: 'run', id: '5', status: 'SUCCEEDED' }]);
  page.resolve(undefined);
  await refreshed;
  await screen.findByText('5 SUCCEEDED, 4 RUNNING, 3 RUNNING, 2 RUNNING');
});
