import { afterEach, expect, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { loadSpaceTexts } from '../../i18n.ts';
import { DeliveriesList } from './deliveries-list.tsx';

afterEach(() => {
  cleanup();
  setSession(null);
  queryClient.clear();
});

it.each([
  ['', 'No deliveries'],
  ['?status=FAILED', 'No deliveries match the filters'],
])('says why it is empty: "%s"', async (search, text) => {
  const none = { items: [], nextCursor: null };
  const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
  jest.spyOn(client.savedViews, 'list').mockResolvedValue(none);
  jest.spyOn(client.notifications, 'listChannels').mockResolvedValue(none);
  jest.spyOn(client.notifications, 'listDeliveries').mockResolvedValue(none);
  await loadSpaceTexts();
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[`/${search}`]}>
        <DeliveriesList />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  expect(await screen.findByText(text)).toBeTruthy();
});

it('calls a channel deleted only if all channels are known', async () => {
  const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
  const deliveries = ['c-1', 'c-2'].map((channelId) => ({
    id: `d-${channelId}`,
    channelId,
    status: 'DELIVERED',
    attempts: 1,
    count: 1,
    isTest: false,
    dueAt: null,
    lastError: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  }));
  jest.spyOn(client.savedViews, 'list').mockResolvedValue({ items: [], nextCursor: null });
  jest
    .spyOn(client.notifications, 'listDeliveries')
    .mockResolvedValue({ items: deliveries, nextCursor: null } as never);
  const lost = new PlatformConnectionError('lost');
  const channels = jest.spyOn(client.notifications, 'listChannels').mockRejectedValue(lost);
  await loadSpaceTexts();
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <DeliveriesList />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const names = () =>
    [...document.querySelectorAll('td .primary-link')].map(({ textContent }) => textContent);
  await waitFor(() => expect(names()).toEqual(['c-1', 'c-2']));
  const pages = [{ items: [{ id: 'c-0', name: 'Other' }], nextCursor: 'more' }];
  channels.mockImplementation((({ cursor }: { cursor?: string }) =>
    Promise.resolve(
      cursor === undefined ? pages[0] : { items: [{ id: 'c-2', name: 'On call' }], nextCursor: null },
    )) as never);
  await act(() => queryClient.invalidateQueries());
  await waitFor(() => expect(names()).toEqual(['Deleted channel', 'On call']));
});
