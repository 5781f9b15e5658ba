import { afterEach, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { useFirstItems, useList } from './use-list.ts';

afterEach(cleanup);

it('has the same items until others arrive, so that nothing is drawn again', async () => {
  const queries = new QueryClient();
  const { result, rerender } = renderHook(
    () => useList(['list'], () => Promise.resolve({ items: [1, 2], nextCursor: null })),
    { wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider> },
  );
  await waitFor(() => expect(result.current.items).toEqual([1, 2]));
  const { items } = result.current;
  rerender();
  expect(result.current.items).toBe(items);
});

it('is loaded again as often as its liveliest item needs, and more rarely the longer it is', async () => {
  const queries = new QueryClient();
  const pages: Record<string, { items: number[]; nextCursor: string | null }> = {
    first: { items: [0, 30_000], nextCursor: 'second' },
    second: { items: [2_000], nextCursor: null },
  };
  const { result } = renderHook(
    () =>
      useList(
        ['list'],
        ({ cursor = 'first' }) => Promise.resolve(pages[cursor] ?? { items: [], nextCursor: null }),
        {
          refreshAfter: (item) => (item === 0 ? false : item),
        },
      ),
    { wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider> },
  );
  const interval = () => {
    const query = queries.getQueryCache().find({ queryKey: ['list'] });
    const every = query?.observers[0]?.options.refetchInterval;
    return typeof every === 'function' && query ? every(query) : every;
  };
  await waitFor(() => expect(result.current.items).toHaveLength(2));
  expect(interval()).toBe(30_000);
  act(() => result.current.loadMore());
  await waitFor(() => expect(result.current.items).toHaveLength(3));
  // Both pages are loaded: one request in two seconds, as for a list of one page.
  expect(interval()).toBe(4_000);
});

it('is not loaded again if nothing in it changes by itself', async () => {
  const queries = new QueryClient();
  const { result } = renderHook(
    () =>
      useList(['list'], () => Promise.resolve({ items: [1], nextCursor: null }), {
        refreshAfter: () => false,
      }),
    { wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider> },
  );
  await waitFor(() => expect(result.current.items).toEqual([1]));
  const query = queries.getQueryCache().find({ queryKey: ['list'] });
  const every = query?.observers[0]?.options.refetchInterval;
  expect(typeof every === 'function' && query && every(query)).toBe(false);
});

it('goes on while pages are empty, and leaves it to the user after ten in a row', async () => {
  const queries = new QueryClient();
  const fetchPage = jest.fn((_: { cursor?: string | undefined }) =>
    Promise.resolve({ items: [] as number[], nextCursor: 'more', searched: { envelopes: 300, to: null } }),
  );
  const { result } = renderHook(() => useFirstItems(useList(['list'], fetchPage)), {
    wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
  });
  expect(result.current.loading).toBe(true);
  await waitFor(() => expect(result.current.loading).toBe(false));
  expect(fetchPage).toHaveBeenCalledTimes(10);
  expect(result.current).toMatchObject({ items: [], hasMore: true, searched: 3_000 });

  fetchPage.mockResolvedValueOnce({ items: [], nextCursor: 'more', searched: { envelopes: 300, to: null } });
  fetchPage.mockResolvedValueOnce({ items: [7], nextCursor: 'more', searched: { envelopes: 9, to: null } });
  act(() => result.current.loadMore());
  await waitFor(() => expect(result.current.items).toEqual([7]));
  expect(fetchPage).toHaveBeenCalledTimes(12);
  expect(result.current.searched).toBe(3_309);
});

it('stays as it is while it is frozen, once it is loaded', async () => {
  const queries = new QueryClient();
  let newest = 1;
  const fetchPage = () => Promise.resolve({ items: [newest], nextCursor: null });
  const { result, rerender } = renderHook(({ isFrozen }) => useList(['list'], fetchPage, { isFrozen }), {
    initialProps: { isFrozen: true },
    wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(result.current.items).toEqual([1]));
  newest = 2;
  await act(() => queries.invalidateQueries());
  expect(result.current.items).toEqual([1]);
  rerender({ isFrozen: false });
  await waitFor(() => expect(result.current.items).toEqual([2]));
});
