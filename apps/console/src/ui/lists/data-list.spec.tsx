import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import type { Page, PageQuery } from '@platform/contracts';
import { cleanup, screen, within } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { DataList, type Column } from './data-list.tsx';
import { useList } from './use-list.ts';

interface Parcel {
  name: string;
  weight: number | null;
}

const COLUMNS: Column<Parcel>[] = [
  { key: 'name', title: 'Parcel', sortBy: ({ name }) => name, render: ({ name }) => name },
  {
    key: 'weight',
    title: 'Weight',
    sortBy: ({ weight }) => weight,
    descendingFirst: true,
    render: ({ weight }) => weight,
  },
  { key: 'arrived', title: 'Arrived', sortBy: 'service', descendingFirst: true, render: () => null },
  { key: 'actions', title: '', render: () => null },
];
const FIRST: Page<Parcel> = {
  items: [
    { name: 'Lamp', weight: 3 },
    { name: 'Bed', weight: null },
  ],
  nextCursor: 'second',
};
const SECOND: Page<Parcel> = { items: [{ name: 'Anvil', weight: 90 }], nextCursor: null };

afterEach(cleanup);

const fetchPage = ({ cursor }: PageQuery) => Promise.resolve(cursor === undefined ? FIRST : SECOND);

/** Renders a list of two pages at an address. */
async function setUp(address: string, fetch: typeof fetchPage = fetchPage) {
  function Parcels() {
    const list = useList<Parcel>(['parcels'], fetch);
    return (
      <DataList label="Parcels" list={list} columns={COLUMNS} rowKey={({ name }) => name} empty="None" />
    );
  }
  const router = createMemoryRouter([{ path: '/', element: <Parcels /> }], { initialEntries: [address] });
  const user = await renderInApp(<RouterProvider router={router} />);
  return { user, search: () => router.state.location.search };
}

async function rowsAfter(name: string): Promise<(string | null)[]> {
  const table = await screen.findByRole('table', { name: 'Parcels' });
  await within(table).findByRole('cell', { name });
  const rows = within(table).getAllByRole('row').slice(1);
  return rows.map((row) => row.querySelector('td')?.textContent ?? null);
}
const heading = (name: string) => screen.getByRole('columnheader', { name });

describe('DataList', () => {
  it('is in the order of the service, page by page, unless it is sorted', async () => {
    await setUp('/?sort=color');
    expect(await rowsAfter('Lamp')).toEqual(['Lamp', 'Bed']);
    expect(heading('Parcel').getAttribute('aria-sort')).toBeNull();
    screen.getByRole('button', { name: 'Load more' });
  });

  it('loads the whole list before it sorts it', async () => {
    await setUp('/?sort=name');
    expect(await rowsAfter('Anvil')).toEqual(['Anvil', 'Bed', 'Lamp']);
    expect(heading('Parcel').getAttribute('aria-sort')).toBe('ascending');
  });

  it('sorts by the headings that are clicked, and keeps that in the URL', async () => {
    const { user, search } = await setUp('/?q=1');
    await rowsAfter('Lamp');
    const weight = screen.getByRole('button', { name: 'Weight' });
    await user.click(weight);
    expect(await rowsAfter('Anvil')).toEqual(['Anvil', 'Lamp', 'Bed']);
    expect(search()).toBe('?q=1&sort=-weight');
    await user.click(screen.getByRole('button', { name: 'Weight' }));
    expect(await rowsAfter('Anvil')).toEqual(['Lamp', 'Anvil', 'Bed']);
    expect(heading('Weight').getAttribute('aria-sort')).toBe('ascending');
    await user.click(screen.getByRole('button', { name: 'Weight' }));
    expect(await rowsAfter('Anvil')).toEqual(['Lamp', 'Bed', 'Anvil']);
    expect(search()).toBe('?q=1');
  });

  it('sorts by a field where columns have no headings', async () => {
    const { user, search } = await setUp('/');
    await rowsAfter('Lamp');
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Weight, ascending');
    expect(await rowsAfter('Anvil')).toEqual(['Lamp', 'Anvil', 'Bed']);
    expect(search()).toBe('?sort=weight');
  });

  it('leaves the list as it is, page by page, if the service has sorted it', async () => {
    const { user, search } = await setUp('/?sort=-arrived');
    expect(await rowsAfter('Lamp')).toEqual(['Lamp', 'Bed']);
    expect(heading('Arrived').getAttribute('aria-sort')).toBe('descending');
    screen.getByRole('button', { name: 'Load more' });
    await user.click(screen.getByRole('button', { name: 'Arrived' }));
    expect(search()).toBe('?sort=arrived');
    expect(await rowsAfter('Lamp')).toEqual(['Lamp', 'Bed']);
  });

  it('does not sort a part of the list: if a page cannot be loaded, the user can try again', async () => {
    const fetch = jest.fn(fetchPage);
    fetch.mockImplementationOnce(fetchPage);
    fetch.mockRejectedValueOnce(new Error('The connection was lost'));
    const { user } = await setUp('/?sort=name', fetch);
    expect(await rowsAfter('Lamp')).toEqual(['Lamp', 'Bed']);
    expect(heading('Parcel').getAttribute('aria-sort')).toBeNull();
    expect(fetch).toHaveBeenCalledTimes(2);
    await user.click(screen.getByRole('button', { name: 'Load more' }));
    expect(await rowsAfter('Anvil')).toEqual(['Anvil', 'Bed', 'Lamp']);
  });

  it('says why a page could not be loaded, until it is', async () => {
    const fetch = jest.fn(fetchPage);
    fetch.mockImplementationOnce(fetchPage);
    fetch.mockRejectedValueOnce(new PlatformConnectionError('lost'));
    const { user } = await setUp('/', fetch);
    await rowsAfter('Lamp');
    await user.click(screen.getByRole('button', { name: 'Load more' }));
    expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached');
    await user.click(screen.getByRole('button', { name: 'Load more' }));
    await rowsAfter('Anvil');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
