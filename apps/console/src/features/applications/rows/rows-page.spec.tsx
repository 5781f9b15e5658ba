import { afterEach, expect, it, jest } from '@jest/globals';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client } from '../../../api.ts';
import { Component as RowsPage } from './rows-page.tsx';

const TABLE = { name: 'orders', columns: [{ name: 'number', type: 'string' }] };
const SHOP = { identifier: 'shop', name: 'Shop', manifest: { tables: [TABLE] } };
const ROW = { id: 'r1', createdAt: '2026-01-01T00:00:00.000Z', number: '2001' };

afterEach(cleanup);

async function open(address: string, rows = [ROW]) {
  jest.spyOn(client.applications, 'get').mockResolvedValue(SHOP as never);
  jest.spyOn(client.data, 'list').mockResolvedValue({ items: rows, nextCursor: null } as never);
  const routes = [{ path: '/applications/:identifier/tables/:table', element: <RowsPage /> }];
  const router = createMemoryRouter(routes, { initialEntries: [`/applications/shop/tables/${address}`] });
  await renderInApp(<RouterProvider router={router} />);
  return router;
}

it('opens a row as a part of the address, so that Back closes it', async () => {
  const router = await open('orders?order=number');
  fireEvent.click(await screen.findByText('2001'));
  await screen.findByRole('dialog', { name: 'Row' });
  expect(router.state.location.search).toBe('?order=number&row=r1');
  await act(() => router.navigate(-1));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Row' })).toBeNull());
  await act(() => router.navigate('/applications/shop/tables/orders?row=other'));
  await screen.findByText('It may be on a further page of the list.');
});

it('does not take the order of all rows for a filter, but that of a column, which leaves out rows', async () => {
  await open('orders?order=createdAt', []);
  await screen.findByText('No rows yet');
  await open('orders?order=number', []);
  await screen.findByText('No rows match');
});

it('leads from a table that does not exist to the application', async () => {
  await open('nothing');
  const link = await screen.findByRole('link', { name: 'Shop' });
  expect(link.getAttribute('href')).toBe('/applications/shop');
});
