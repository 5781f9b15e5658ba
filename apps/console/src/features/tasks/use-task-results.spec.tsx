import { afterEach, expect, it, jest } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import { client, keys, queryClient } from '../../api.ts';
import { useTaskResults } from './use-task-results.ts';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

it.each([
  { count: 2, requests: 1, every: 10_000 },
  { count: 250, requests: 3, every: 30_000 },
])('takes no more requests over time for $count tasks than for a few', async ({ count, requests, every }) => {
  const load = jest.spyOn(client.runs, 'results').mockReset().mockResolvedValue([]);
  const ids = Array.from({ length: count }, (_, i) => `t-${i}`);
  renderHook(() => useTaskResults(ids), {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(load).toHaveBeenCalledTimes(requests));
  const queries = queryClient.getQueryCache().findAll({ queryKey: keys.taskResults });
  const intervals = queries.map((query) => query.observers[0]?.options.refetchInterval);
  expect(intervals).toEqual(Array.from({ length: requests }, () => every));
});
