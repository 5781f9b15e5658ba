import { afterEach, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import { useList } from './use-list.ts';

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
