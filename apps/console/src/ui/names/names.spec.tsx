import { afterEach, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { useState, type ReactNode } from 'react';
import { renderInApp } from '../../../test/render.tsx';
import { NameFilter } from './name-filter.tsx';
import { NameOf } from './name-of.tsx';
import { NameSelect } from './name-select.tsx';
import { SEARCH_AFTER_MS } from '../browser/use-settled.ts';
import { namedSource, type Named, type NamedQuery } from './named-source.ts';
import { useNames } from './use-names.ts';

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

it('asks again for the names that a page of large items had no room for', async () => {
  const source = namedSource<Named>(['large'], ({ ids = [] }) => {
    const found = ids.filter((id) => id !== 'gone').map(named);
    return Promise.resolve({ items: found.slice(0, 2), nextCursor: found.length > 2 ? 'more' : null });
  });
  await show(
    ['1', '2', '3', '4', '5', 'gone'].map((id) => (
      <p key={id}>
        <NameOf source={source} id={id} />
      </p>
    )),
  );
  await screen.findByText('Item 5');
  await screen.findByText('gone');
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

it('offers everything again once something was chosen among several, and says that there is more', async () => {
  const { source } = listOf(60);
  const Several = () => {
    const [value, setValue] = useState<string[]>([]);
    return (
      <NameSelect<Named, { type: string }, string[]>
        multiple
        source={source}
        aria-label="Items"
        value={value}
        onChange={setValue}
      />
    );
  };
  const user = await show(<Several />);
  const field = screen.getByRole('combobox', { name: 'Items' });
  await user.click(field);
  await screen.findByText('There are more. Type a part of the name.');
  await user.type(field, 'Item 59');
  await waitFor(() => expect(screen.queryByText('Item 2')).toBeNull());
  await user.click(await screen.findByText('Item 59'));
  await screen.findByText('Item 2');
});

it('does not choose a name while a longer one is typed', async () => {
  const items = ['Order', 'Order EU'].map((name) => ({ id: name, name }));
  const source = namedSource<Named>(['orders'], () => Promise.resolve({ items, nextCursor: 'more' }));
  const change = jest.fn();
  const user = await show(
    <NameFilter source={source} label="Item" any="Any" value={undefined} onChange={change} />,
  );
  const field = await screen.findByPlaceholderText('Any');
  await user.type(field, 'Order EU');
  expect(change).not.toHaveBeenCalled();
  await user.tab();
  expect(change.mock.calls).toEqual([['Order EU']]);
  await user.type(field, 'order e{Enter}');
  expect(change.mock.calls[1]).toEqual(['Order EU']);
});

it('keeps the names that are known when others cannot be loaded', async () => {
  let isBroken = false;
  const source = namedSource<Named>(['partly'], ({ ids = [] }) =>
    isBroken
      ? Promise.reject(new Error('refused'))
      : Promise.resolve({ items: ids.map(named), nextCursor: null }),
  );
  const Names = ({ ids }: { ids: string[] }) => {
    const nameOf = useNames(source);
    return ids.map((id) => <p key={id}>{nameOf(id) ?? '…'}</p>);
  };
  const Page = () => {
    const [ids, setIds] = useState(['1']);
    return (
      <>
        <button onClick={() => setIds(['1', '2'])}>More</button>
        <Names ids={ids} />
      </>
    );
  };
  const user = await show(<Page />);
  await screen.findByText('Item 1');
  isBroken = true;
  await user.click(screen.getByRole('button', { name: 'More' }));
  await screen.findByText('…');
  screen.getByText('Item 1');
});

it('searches no list that cannot be loaded', async () => {
  let asked = 0;
  const source = namedSource<Named>(['broken'], (): Promise<never> => {
    asked += 1;
    return Promise.reject(new Error('refused'));
  });
  const user = await show(<NameSelect multiple source={source} aria-label="Item" />);
  const field = screen.getByRole('combobox', { name: 'Item' });
  await user.click(field);
  await screen.findByText('The list could not be loaded.');
  await user.type(field, 'some');
  // Long enough for a search to begin.
  await new Promise((resolve) => setTimeout(resolve, 2 * SEARCH_AFTER_MS));
  expect(asked).toBe(1);
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
  await user.type(field, 'Twin · 000001{Enter}');
  expect(change.mock.calls).toEqual([['0000-000001']]);
});

it('says that what a filter offers could not be loaded', async () => {
  const source = namedSource<Named>(['broken'], () => Promise.reject(new Error('refused')));
  await show(
    <NameFilter source={source} label="Item" any="Any" value={undefined} onChange={() => undefined} />,
  );
  await screen.findByRole('option', { name: 'The list could not be loaded.' });
});

it('says that a search has failed, in a filter and in a field', async () => {
  const items = Array.from({ length: 60 }, (_, i) => named(String(i)));
  const source = namedSource<Named>(['items'], ({ text, limit }) =>
    text === undefined
      ? Promise.resolve({ items: items.slice(0, limit), nextCursor: 'more' })
      : Promise.reject(new Error('refused')),
  );
  const user = await show(
    <>
      <NameFilter source={source} label="Filter" any="Any" value={undefined} onChange={() => undefined} />
      <NameSelect source={source} aria-label="Field" />
    </>,
  );
  await user.type(await screen.findByPlaceholderText('Any'), '59');
  expect((await screen.findByRole('alert')).textContent).toBe('The list could not be loaded.');
  await user.type(screen.getByRole('combobox', { name: 'Field' }), '59');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  await screen.findByText('The list could not be loaded.');
});
