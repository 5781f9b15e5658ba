import { afterEach, expect, it, jest } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
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
