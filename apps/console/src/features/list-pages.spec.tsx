import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import type { ComponentType } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../test/render.tsx';
import { client, queryClient, setSession } from '../api.ts';
import { loadSpaceTexts } from '../i18n.ts';
import { Component as AgentsPage } from './agents/agents-page.tsx';
import { Component as MembersPage } from './members/members-page.tsx';
import { Component as TasksPage } from './tasks/tasks-page.tsx';
import { Component as ToolsPage } from './tools/tools-page.tsx';

const time = '2026-01-01T00:00:00.000Z';
const ITEMS = {
  agents: { id: 'a', name: 'Listed', description: '', accessScope: 'SPACE', accessible: true },
  tasks: {
    id: 't',
    name: 'Listed',
    type: 'MANUAL',
    workflow: { steps: [] },
    schedule: null,
    application: null,
  },
  tools: { id: 'o', name: 'Listed', description: '', kind: 'builtin', serverUrl: '', methodCount: 0 },
  members: { user: { id: 'm', name: 'Listed', email: 'm@example.com' }, role: 'MEMBER', createdAt: time },
};
const PAGES: [keyof typeof ITEMS, ComponentType][] = [
  ['agents', AgentsPage],
  ['tasks', TasksPage],
  ['tools', ToolsPage],
  ['members', MembersPage],
];

beforeEach(() => {
  const space = { id: 's1', name: 'Space', role: 'MEMBER' as const };
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
  jest.spyOn(client.savedViews, 'list').mockResolvedValue({ items: [], nextCursor: null });
  jest.spyOn(client.runs, 'results').mockResolvedValue([] as never);
});
afterEach(() => {
  cleanup();
  setSession(null);
  queryClient.clear();
});

it.each(PAGES)(
  '%s are searched and sorted by the service, not among what is loaded',
  async (name, PageComponent) => {
    const asked: Record<string, unknown>[] = [];
    jest.spyOn(client[name], 'list').mockImplementation((query: object = {}) => {
      asked.push({ ...query });
      return Promise.resolve({ items: [ITEMS[name]], nextCursor: 'more' }) as never;
    });
    if (name !== 'members')
      jest.spyOn(client.members, 'list').mockResolvedValue({ items: [], nextCursor: null });
    await loadSpaceTexts();
    const router = createMemoryRouter([{ path: '*', element: <PageComponent /> }], {
      initialEntries: ['/?q=ab'],
    });
    const user = await renderInApp(
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    );
    await screen.findAllByText('Listed');
    expect(asked).toEqual([expect.objectContaining({ text: 'ab' })]);

    await user.type(screen.getByRole('searchbox'), 'c ');
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ text: 'abc' }));
    for (const sort of ['name', '-name']) {
      await screen.findAllByText('Listed');
      await user.click(screen.getAllByRole('columnheader')[0]?.querySelector('button') as HTMLElement);
      await waitFor(() => expect(asked.at(-1)).toMatchObject({ text: 'abc', sort }));
    }
    expect(router.state.location.search).toBe('?q=abc+&sort=-name');
    expect(asked.some((query) => 'cursor' in query)).toBe(false);
  },
);
