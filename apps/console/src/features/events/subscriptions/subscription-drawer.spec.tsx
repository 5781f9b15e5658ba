import { afterEach, expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import type { Subscription } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { client, keys } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { SubscriptionDrawer } from './subscription-drawer.tsx';

afterEach(cleanup);

const SUBSCRIPTION = {
  id: 's-1',
  applicationIdentifier: 'shop',
  event: 'order.created',
  taskId: 't-1',
  taskName: 'Ship',
  filter: { totl: 5 },
  enabled: true,
  origin: 'USER',
  debounce: null,
  batch: null,
  waitingForApplication: false,
  createdAt: '2026-01-01T00:00:00.000Z',
} as Subscription;
const PROBLEM = 'filter.totl can never match: the event has no field totl (did you mean total?)';

it('shows what is wrong with a filter at the filter, until it changes', async () => {
  jest.spyOn(client.events, 'subscription').mockResolvedValue(SUBSCRIPTION);
  jest.spyOn(client.events, 'catalog').mockResolvedValue([]);
  jest.spyOn(client.events, 'previewFilter').mockResolvedValue({ matched: 0, tested: 0, items: [] } as never);
  jest.spyOn(client.events, 'updateSubscription').mockRejectedValue(
    new PlatformError({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: PROBLEM,
      requestId: null,
      turnId: null,
      retryAfter: null,
    }),
  );
  const router = createMemoryRouter([
    {
      path: '/',
      element: <SubscriptionDrawer subscriptionId="s-1" eventKey={undefined} onClose={() => undefined} />,
    },
  ]);
  const user = await renderInApp(<RouterProvider router={router} />);
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  const section = await screen.findByRole('region', { name: 'Filter' });
  await waitFor(() => expect(section.textContent).toContain(PROBLEM));
  await user.click(screen.getByRole('button', { name: 'Remove totl' }));
  await waitFor(() => expect(section.textContent).not.toContain(PROBLEM));
});

it('asks before an edited filter is closed', async () => {
  jest.spyOn(client.events, 'subscription').mockResolvedValue(SUBSCRIPTION);
  jest.spyOn(client.events, 'catalog').mockResolvedValue([]);
  jest.spyOn(client.events, 'previewFilter').mockResolvedValue({ matched: 0, tested: 0, items: [] } as never);
  const close = jest.fn();
  const element = <SubscriptionDrawer subscriptionId="s-1" eventKey={undefined} onClose={close} />;
  const user = await renderInApp(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />);
  await user.click(await screen.findByRole('button', { name: 'Remove totl' }));
  await user.click(screen.getAllByLabelText('Close')[0] as HTMLElement);
  await user.click(await screen.findByText('Stay'));
  expect(close).not.toHaveBeenCalled();
});

it('begins with what is stored, and not with what was loaded before', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000 } } });
  queries.setQueryData(keys.subscription('s-1'), SUBSCRIPTION);
  // Such as by the switch in the list.
  await queries.invalidateQueries({ queryKey: keys.subscriptions });
  jest.spyOn(client.events, 'subscription').mockResolvedValue({ ...SUBSCRIPTION, enabled: false });
  jest.spyOn(client.events, 'catalog').mockResolvedValue([]);
  jest.spyOn(client.events, 'previewFilter').mockResolvedValue({ matched: 0, tested: 0, items: [] } as never);
  const element = <SubscriptionDrawer subscriptionId="s-1" eventKey={undefined} onClose={() => undefined} />;
  await renderInApp(
    <QueryClientProvider client={queries}>
      <RouterProvider router={createMemoryRouter([{ path: '/', element }])} />
    </QueryClientProvider>,
  );
  await screen.findByLabelText('Enabled');
  await waitFor(() => expect(queries.isFetching({ queryKey: keys.subscriptions })).toBe(0));
  expect(screen.getByLabelText('Enabled').getAttribute('aria-checked')).toBe('false');
});
