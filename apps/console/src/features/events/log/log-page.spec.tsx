import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Envelope } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client, queryClient, setSession } from '../../../api.ts';
import { refresh } from '../../changes/refresh.ts';
import { Component as LogPage } from './log-page.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const NONE = { items: [], nextCursor: null };
const envelope = (id: string) =>
  ({
    id,
    event: `event.${id}`,
    applicationIdentifier: 'shop',
    status: 'PENDING',
    statusReason: null,
    matchedCount: 0,
    generation: 0,
    payload: {},
    erasure: null,
    emittedAt: '2026-01-01T00:00:00.000Z',
  }) as unknown as Envelope;

let envelopes: jest.SpiedFunction<typeof client.events.envelopes>;

beforeEach(() => {
  setSession({
    accessToken: 'token',
    user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    space,
    spaces: [space],
  } as never);
  jest.spyOn(client.savedViews, 'list').mockResolvedValue(NONE);
  jest.spyOn(client.events, 'catalog').mockResolvedValue([]);
  jest.spyOn(client.events, 'volume').mockResolvedValue({ bucketSeconds: 60, buckets: [] });
  envelopes = jest.spyOn(client.events, 'envelopes');
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

const show = (address: string) =>
  renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider
        router={createMemoryRouter([{ path: '/events/log', element: <LogPage /> }], {
          initialEntries: [address],
        })}
      />
    </QueryClientProvider>,
  );
/** Emits an event, of which the stream of changes tells. */
const emit = (...ids: string[]) => {
  envelopes.mockResolvedValue({ items: ids.map(envelope), nextCursor: null });
  return act(() => refresh(queryClient, [{ kind: 'envelope', id: ids[0] ?? null, status: 'PENDING' }]));
};
const rows = () =>
  within(screen.getByRole('table', { name: 'Event log' }))
    .getAllByRole('link')
    .map((link) => link.title);

it('adds new events until it is paused, and again after that', async () => {
  envelopes.mockResolvedValue({ items: [envelope('1')], nextCursor: null });
  const user = await show('/events/log?live=on');
  await screen.findByTitle('event.1');
  await emit('2', '1');
  await waitFor(() => expect(rows()).toEqual(['event.2', 'event.1']));

  await user.click(screen.getByRole('button', { name: 'Pause' }));
  await screen.findByRole('button', { name: 'Follow live' });
  const asked = envelopes.mock.calls.length;
  await emit('3', '2', '1');
  expect(rows()).toEqual(['event.2', 'event.1']);
  expect(envelopes).toHaveBeenCalledTimes(asked);

  await user.click(screen.getByRole('button', { name: 'Follow live' }));
  await screen.findByTitle('event.3');
  await emit('4', '3');
  await waitFor(() => expect(rows()).toEqual(['event.4', 'event.3']));
});

it('searches on while it finds nothing, and says how far it has searched', async () => {
  const nothing = { items: [], nextCursor: 'more', searched: { envelopes: 1_000, to: '2026-01-01' } };
  envelopes.mockResolvedValue(nothing);
  const user = await show('/events/log?text=rare');
  await screen.findByText('Nothing found so far');
  screen.getByText('The newest 10,000 were looked at.');
  expect(envelopes).toHaveBeenCalledTimes(10);

  envelopes.mockResolvedValueOnce({ ...nothing, items: [envelope('1')] });
  await user.click(screen.getByRole('button', { name: 'Search further' }));
  await screen.findByTitle('event.1');
  // The end of the list is in sight: it goes on, but not without end.
  await screen.findByText('The newest 21,000 were looked at.');
  expect(envelopes).toHaveBeenCalledTimes(21);
});
