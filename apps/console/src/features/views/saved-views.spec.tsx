import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import type { CreateSavedViewRequest, SavedView } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys, queryClient } from '../../api.ts';
import { SavedViews } from './saved-views.tsx';
import { targetOf } from './view-pages.ts';

let stored: SavedView[];
let role: 'ADMIN' | 'MEMBER';
const view = (name: string, query: string, more: Partial<SavedView> = {}) =>
  ({
    id: name.toLowerCase(),
    name,
    query,
    page: 'runs',
    ownerUserId: 'u',
    shared: false,
    ...more,
  }) as SavedView;

// jsdom has no popovers: the menu is told what the browser would tell it.
beforeEach(() => {
  HTMLElement.prototype.hidePopover = () => undefined;
  role = 'MEMBER';
  stored = [
    view('Late', 'since=24h&status=QUEUED'),
    view('Team', 'status=FAILED', { ownerUserId: 'other', shared: true }),
  ];
  jest
    .spyOn(client.savedViews, 'list')
    .mockImplementation(() => Promise.resolve({ items: stored, nextCursor: null }) as never);
});
afterEach(() => {
  cleanup();
  queryClient.clear();
  Reflect.deleteProperty(HTMLElement.prototype, 'hidePopover');
});

async function show(search = ''): Promise<{ user: UserEvent; search: () => string }> {
  queryClient.setQueryData(keys.session, { user: { id: 'u' }, space: { id: 's', name: 'S', role } });
  const router = createMemoryRouter([{ path: '*', element: <SavedViews page="runs" /> }], {
    initialEntries: [`/runs${search}`],
  });
  const user = await renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(queryClient.getQueryData([...keys.savedViews, 'runs'])).toBeDefined());
  return { user, search: () => router.state.location.search };
}

async function items(): Promise<string[]> {
  const menu = await screen.findByRole('menu', { hidden: true });
  await act(async () => {
    menu.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'closed' }));
    menu.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' }));
  });
  return Array.from(menu.querySelectorAll('.menu-item'), ({ textContent }) => textContent);
}
const choose = async (user: UserEvent, text: string) => {
  expect(await items()).toContain(text);
  await user.click(within(screen.getByRole('menu', { hidden: true })).getByText(text));
};
const button = () => document.querySelector('.views-button')?.textContent;

it('opens a view, says that it was changed, and saves what changed', async () => {
  const { user, search } = await show('?job=open&origin=EVENT');
  await waitFor(() => expect(button()).toBe('Views'));
  expect(await items()).toEqual(['Late', 'Team', 'Save view…', 'Clear filters']);
  await choose(user, 'Late');
  await waitFor(() => expect(search()).toBe('?job=open&status=QUEUED&since=24h&view=late'));
  expect(button()).toBe('Views: Late');
  cleanup();

  const changed = await show('?since=7d&status=QUEUED&view=late');
  await waitFor(() => expect(button()).toBe('Views: Latechanged'));
  const update = jest.spyOn(client.savedViews, 'update').mockImplementation((id, change) => {
    stored = stored.map((one) => (one.id === id ? { ...one, ...(change as object) } : one));
    return Promise.resolve(stored[0]) as never;
  });
  await choose(changed.user, 'Save changes');
  await waitFor(() => expect(button()).toBe('Views: Late'));
  expect(update.mock.calls).toEqual([['late', { query: 'since=7d&status=QUEUED' }]]);
  await choose(changed.user, 'Clear filters');
  await waitFor(() => expect([changed.search(), button()]).toEqual(['', 'Views']));
});

it('saves filters by name, and shows at the field that the name is taken', async () => {
  const { user, search } = await show('?status=RUNNING');
  const message = 'name must be unique: you already have a view of this page named Now';
  const create = jest
    .spyOn(client.savedViews, 'create')
    .mockImplementationOnce(
      () =>
        Promise.reject(
          new PlatformError({
            status: 409,
            code: 'CONFLICT',
            message,
            requestId: null,
            turnId: null,
            retryAfter: null,
          }),
        ) as never,
    )
    .mockImplementation((request: CreateSavedViewRequest) => {
      stored = [...stored, view(request.name, request.query)];
      return Promise.resolve(stored.at(-1)) as never;
    });
  await choose(user, 'Save view…');
  await user.type(await screen.findByLabelText('Name'), 'Now');
  expect(screen.queryByRole('checkbox')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(/you already have a view of this page named Now/);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect([search(), button()]).toEqual(['?status=RUNNING&view=now', 'Views: Now']));
  expect(create).toHaveBeenLastCalledWith({
    page: 'runs',
    name: 'Now',
    query: 'status=RUNNING',
    shared: false,
  });
});

it('lets only admins change shared views, and their owner stop sharing them', async () => {
  await show('?status=FAILED');
  await waitFor(() => expect(button()).toBe('Views: Team'));
  const common = ['Late', 'Team', 'Save as new view…', 'Clear filters'];
  expect(await items()).toEqual(common);
  cleanup();

  role = 'ADMIN';
  const { user, search } = await show('?status=FAILED&view=team');
  await waitFor(() => expect(button()).toBe('Views: Team'));
  expect(await items()).toEqual([...common, 'Rename…', 'Delete…']);
  const remove = jest.spyOn(client.savedViews, 'delete').mockImplementation(() => {
    stored = stored.slice(0, 1);
    return Promise.resolve() as never;
  });
  await choose(user, 'Delete…');
  await screen.findByText(/It disappears for everybody in the space/);
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect([search(), button()]).toEqual(['?status=FAILED', 'Views']));
  expect(remove).toHaveBeenCalledWith('team');
  cleanup();

  await show('?status=QUEUED&since=24h');
  await waitFor(() => expect(button()).toBe('Views: Late'));
  expect((await items()).slice(-3)).toEqual(['Rename…', 'Share with the space', 'Delete…']);
});

it('leads to the filters of a view, and to nothing else that it contains', () => {
  const query = 'status=FAILED&replay=new&create=open';
  expect(targetOf(view('A', query, { page: 'webhook-deliveries' }))).toEqual({
    pathname: '/settings/webhooks',
    search: 'status=FAILED&tab=deliveries&view=a',
  });
});
