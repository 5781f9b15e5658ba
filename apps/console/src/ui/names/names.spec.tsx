import { afterEach, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { renderInApp } from '../../../test/render.tsx';
import { NameFilter } from './name-filter.tsx';
import { NameOf } from './name-of.tsx';
import { NameSelect } from './name-select.tsx';
import { namedSource, type Named, type NamedQuery } from './named-source.ts';

afterEach(cleanup);

const named = (id: string): Named => ({ id, name: `Item ${id}` });

function show(element: ReactNode) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 10_000 } } });
  return renderInApp(<QueryClientProvider client={queries}>{element}</QueryClientProvider>);
}

/** A list of the items `0` to `count - 1` that records what it is asked. */
function listOf(count: number) {
  const asked: object[] = [];
  const items = Array.from({ length: count }, (_, i) => named(String(i)));
  const source = namedSource<Named, { type: string }>(
    ['items'],
    ({ ids, text = '', limit = 50, ...query }, filter) => {
      asked.push({ ...query, ...(ids && { ids: ids.length }), ...(text && { text }), ...filter });
      const found = items.filter(({ id, name }) => (ids ?? [id]).includes(id) && name.includes(text));
      const isMore = ids === undefined && found.length > limit;
      return Promise.resolve({
        items: ids ? found : found.slice(0, limit),
        nextCursor: isMore ? 'more' : null,
      });
    },
  );
  return { source, asked };
}

it('asks for the names of many components with one request for each 200', async () => {
  const { source, asked } = listOf(250);
  await show(
    Array.from({ length: 251 }, (_, i) => (
      <p key={i}>
        <NameOf source={source} id={String(i)} />
      </p>
    )),
  );
  await screen.findByText('Item 249');
  // What does not exist is shown by its id.
  await screen.findByText('250');
  expect(asked).toEqual([{ ids: 200 }, { ids: 51 }]);
});

it('shows the id of what cannot be loaded, and asks again the next time', async () => {
  let asked = 0;
  const source = namedSource<Named>(['broken'], (): Promise<never> => {
    asked += 1;
    return Promise.reject(new Error('refused'));
  });
  await show(<NameOf source={source} id="a" />);
  await screen.findByText('a');
  cleanup();
  await show(<NameOf source={source} id="a" />);
  await screen.findByText('a');
  expect(asked).toBe(2);
});

it('offers what the filter leaves, and knows the name of what was chosen', async () => {
  const { source, asked } = listOf(60);
  const change = jest.fn();
  const user = await show(
    <NameSelect source={source} filter={{ type: 'A' }} aria-label="Item" except={['1']} onChange={change} />,
  );
  const field = screen.getByRole('combobox', { name: 'Item' });
  await user.click(field);
  await screen.findByText('Item 2');
  expect(screen.queryByText('Item 1')).toBeNull();
  await user.type(field, 'Item 59');
  await user.click(await screen.findByText('Item 59'));
  await waitFor(() => expect(change.mock.calls[0]?.[0]).toBe('59'));
  const first: NamedQuery = { sort: 'name' };
  expect(asked).toEqual([
    { ...first, type: 'A' },
    { ...first, text: 'Item 59', type: 'A' },
  ]);
});

it('says that nothing was found', async () => {
  const { source } = listOf(1);
  const user = await show(<NameSelect source={source} aria-label="Item" />);
  await user.type(screen.getByRole('combobox', { name: 'Item' }), 'unknown');
  await screen.findByText('Nothing found.');
});

it('tells items of the same name apart', async () => {
  const items = Array.from({ length: 2 }, (_, i) => ({ id: `0000-00000${i}`, name: 'Twin' }));
  const source = namedSource<Named>(['twins'], () => Promise.resolve({ items, nextCursor: 'more' }));
  const change = jest.fn();
  const user = await show(
    <NameFilter source={source} label="Item" any="Any" value={undefined} onChange={change} />,
  );
  const field = await screen.findByPlaceholderText<HTMLInputElement>('Any');
  await waitFor(() =>
    expect([...(field.list?.options ?? [])].map(({ value }) => value)).toEqual([
      'Twin · 000000',
      'Twin · 000001',
    ]),
  );
  await user.type(field, 'Twin · 000001');
  expect(change.mock.calls).toEqual([['0000-000001']]);
});
