import { afterEach, beforeEach, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { ConnectionsList } from './connections-list.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const none = { items: [], nextCursor: null };

beforeEach(() => {
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
  queryClient.clear();
});

it('says that there is nothing to connect to only if that is known', async () => {
  jest.spyOn(client.connections, 'list').mockResolvedValue(none);
  const providers = jest.spyOn(client.connections, 'listProviders');
  providers.mockRejectedValue(new PlatformConnectionError('lost'));
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <ConnectionsList />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByText('No connections yet');
  providers.mockResolvedValue(none);
  await act(() => queryClient.invalidateQueries());
  await screen.findByText('There is nothing to connect to yet');
});

it('says why nothing can be connected: the request has failed, or the provider is gone', async () => {
  const providers = jest.spyOn(client.connections, 'listProviders');
  providers.mockRejectedValueOnce(new PlatformConnectionError('lost'));
  providers.mockResolvedValue(none);
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={['/connections?connect=p1']}>
        <ConnectDialog />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  await screen.findByText('There is no such provider any more.');
});
