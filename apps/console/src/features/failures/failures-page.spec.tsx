import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Failure } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys, queryClient } from '../../api.ts';
import { Component as FailuresPage } from './failures-page.tsx';

const AT = '2026-01-01T00:00:00.000Z';
const groupOf = (id: string): Failure => ({
  id,
  runId: id,
  taskId: id,
  taskName: `Task ${id}`,
  stepId: null,
  code: 'STEP_FAILED',
  message: 'No room',
  count: 21,
  firstAt: AT,
  lastAt: AT,
});
const failuresOf = (...ids: string[]) =>
  ({ items: ids.map(groupOf), isLimited: false, searched: { runs: ids.length, to: null } }) as never;
const pageOf = (n: number, nextCursor: string | null) =>
  ({ items: [{ id: `run-${n}`, error: null, createdAt: AT }], nextCursor }) as never;

beforeEach(() => {
  jest.spyOn(client.runs, 'failures').mockResolvedValue(failuresOf('a', 'b'));
});
afterEach(() => {
  cleanup();
  queryClient.clear();
  jest.restoreAllMocks();
});

async function open() {
  const router = createMemoryRouter([{ path: '*', element: <FailuresPage /> }]);
  const user = await renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByRole('link', { name: 'Task a' });
  return { user, router };
}

it('lists all runs of a group, page by page, and leaves what is shown when a reload fails', async () => {
  jest
    .spyOn(client.runs, 'list')
    .mockImplementation(
      ({ cursor } = {}) =>
        Promise.resolve(cursor === undefined ? pageOf(1, 'more') : pageOf(2, null)) as never,
    );
  const { user } = await open();
  await user.click(screen.getAllByRole('button', { name: 'Show runs' })[0] as HTMLElement);
  await screen.findByRole('link', { name: 'run-1' });
  await user.click(screen.getByRole('button', { name: 'Load more' }));
  await screen.findByRole('link', { name: 'run-2' });

  jest.spyOn(client.runs, 'failures').mockRejectedValue(new Error('The service is busy'));
  jest.spyOn(client.runs, 'list').mockRejectedValue(new Error('The service is busy'));
  await act(() => queryClient.invalidateQueries());
  await waitFor(() => expect(queryClient.getQueryState([...keys.failures, {}])?.status).toBe('error'));
  expect(screen.getByRole('link', { name: 'Task b' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'run-2' })).toBeTruthy();
});

it('selects nothing that is not shown', async () => {
  const { user, router } = await open();
  await user.click(screen.getByRole('checkbox', { name: 'Select Task b · STEP_FAILED' }));
  expect(screen.getByText('1 group selected')).toBeTruthy();
  jest.spyOn(client.runs, 'failures').mockResolvedValue(failuresOf('a'));
  await act(() => router.navigate('/?since=24h'));
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Task b' })).toBeNull());
  expect(screen.queryByText('1 group selected')).toBeNull();
});
