import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Task } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { PlatformError } from '@platform/client';
import { client, keys, queryClient, setSession } from '../../api.ts';
import { LeaveGuard } from '../../ui/forms/leave-guard.tsx';
import { Component as TaskPage } from './task-page.tsx';

const space = { id: 's1', name: 'Space', role: 'MEMBER' as const };
const TASK = {
  id: 't1',
  name: 'Ship',
  type: 'MANUAL',
  schedule: null,
  workflow: { steps: [{ id: 'a', kind: 'code', source: 'return 1;' }] },
  concurrency: 5,
  concurrencyKey: null,
  perKey: 1,
  timeoutMs: 60_000,
  retry: { attempts: 0, backoffMs: 1_000, onInterrupted: false },
  enabled: true,
  disabledReason: null,
  nextDueAt: null,
  application: null,
  version: 1,
  updatedAt: '2026-01-01T00:00:00.000Z',
} as unknown as Task;

beforeEach(() => {
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

async function show(): Promise<void> {
  const layout = (
    <>
      <LeaveGuard />
      <Outlet />
    </>
  );
  const children = [
    { path: '/tasks/:taskId', element: <TaskPage /> },
    { path: '/tasks', element: <p>List of tasks</p> },
  ];
  const router = createMemoryRouter([{ element: layout, children }], { initialEntries: ['/tasks/t1'] });
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

it('begins with what is stored, and not with what an earlier page has loaded', async () => {
  queryClient.setQueryData(keys.task(TASK.id), TASK);
  // Such as by the switch in the list.
  await queryClient.invalidateQueries({ queryKey: keys.tasks });
  jest.spyOn(client.tasks, 'get').mockResolvedValue({ ...TASK, enabled: false });
  await show();
  await screen.findByText('Disabled');
  expect(screen.getByLabelText('Enabled').getAttribute('aria-checked')).toBe('false');
});

it('keeps what is entered while it is saved', async () => {
  jest.spyOn(client.tasks, 'get').mockResolvedValue(TASK);
  const saved = Promise.withResolvers<Task>();
  const update = jest.spyOn(client.tasks, 'update').mockReturnValue(saved.promise as never);
  await show();
  const name = await screen.findByLabelText<HTMLInputElement>('Name');
  fireEvent.change(name, { target: { value: 'Ship it' } });
  fireEvent.keyDown(name, { key: 's', ctrlKey: true });
  await waitFor(() => expect(update).toHaveBeenCalled());
  fireEvent.change(name, { target: { value: 'Ship it today' } });
  const stored = { ...TASK, name: 'Ship it', updatedAt: '2026-01-02T00:00:00.000Z' };
  await act(async () => saved.resolve(stored));
  await screen.findByText('Unsaved changes');
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Ship it today');
});

it('offers to load what somebody else has changed, instead of undoing it', async () => {
  const current = { ...TASK, enabled: false, updatedAt: '2026-01-03T00:00:00.000Z' };
  jest.spyOn(client.tasks, 'get').mockResolvedValueOnce(TASK).mockResolvedValue(current);
  const conflict = { status: 409, code: 'CONFLICT', requestId: null, turnId: null, retryAfter: null };
  const update = jest
    .spyOn(client.tasks, 'update')
    .mockRejectedValue(new PlatformError({ ...conflict, message: 'Task t1 was changed' }));
  await show();
  const name = await screen.findByLabelText<HTMLInputElement>('Name');
  fireEvent.change(name, { target: { value: 'Ship it' } });
  fireEvent.keyDown(name, { key: 's', ctrlKey: true });
  const load = await screen.findByText('Load the latest version');
  expect(update).toHaveBeenCalledWith(
    TASK.id,
    expect.objectContaining({ name: 'Ship it', enabled: true, updatedAt: TASK.updatedAt }),
  );
  fireEvent.click(load);
  await waitFor(() => expect(screen.getByLabelText('Enabled').getAttribute('aria-checked')).toBe('false'));
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe(TASK.name);
});

it('asks nothing about what was entered when the task is deleted', async () => {
  jest.spyOn(client.tasks, 'get').mockResolvedValue(TASK);
  jest.spyOn(client.tasks, 'delete').mockResolvedValue(undefined);
  await show();
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Ship it' } });
  await screen.findByText('Unsaved changes');
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await screen.findByText('List of tasks');
  expect(screen.queryByText('Leave without saving?')).toBeNull();
});
