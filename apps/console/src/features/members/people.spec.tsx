import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Member } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { useState, type ReactNode } from 'react';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys } from '../../api.ts';
import { PersonFilter } from './person-filter.tsx';
import { PersonSelect } from './person-select.tsx';

const MEMBERS = Array.from({ length: 60 }, (_, i): Member => ({
  user: { id: `u-${i}`, name: `Person ${i}`, email: `p${i}@example.com` },
  role: 'MEMBER',
  installationAdmin: false,
  createdAt: '2026-01-01T00:00:00.000Z',
}));

const FOUND = 'Person 57 · p57@example.com';

let list: jest.SpiedFunction<typeof client.members.list>;
const asked = () => list.mock.calls.map(([query]) => query);

/** Like the service: some by id, or the first of those that are found. */
beforeEach(() => {
  list = jest.spyOn(client.members, 'list').mockImplementation((query = {}) => {
    const { ids, text = '', limit } = query;
    const found = MEMBERS.filter(
      ({ user }) => (ids ?? [user.id]).includes(user.id) && user.name.includes(text),
    );
    return Promise.resolve({ items: found.slice(0, limit), nextCursor: ids ? null : 'more' }) as never;
  });
});
afterEach(cleanup);

function show(element: ReactNode) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(keys.session, {
    user: MEMBERS[0]?.user,
    space: { id: 's', name: 'Shop', role: 'ADMIN' },
  });
  return renderInApp(<QueryClientProvider client={queries}>{element}</QueryClientProvider>);
}

function Filtered({ first, onChange }: { first: string; onChange: (value: string | undefined) => void }) {
  const [value, setValue] = useState<string | undefined>(first);
  const change = (next: string | undefined) => {
    setValue(next);
    onChange(next);
  };
  return <PersonFilter label="Owner" value={value} onChange={change} />;
}

it('names who was chosen, and finds a member who is not among the first', async () => {
  const change = jest.fn();
  const user = await show(
    <PersonSelect aria-label="Owner" value="u-58" onChange={change} except={['u-59']} />,
  );
  await screen.findByText('Person 58');
  await user.type(screen.getByRole('combobox', { name: 'Owner' }), 'Person 5');
  await user.click(await screen.findByText('p57@example.com'));
  expect(change.mock.calls[0]?.[0]).toBe('u-57');
  expect(screen.queryByText('p59@example.com')).toBeNull();
  expect(asked()).toEqual([
    { limit: 50, sort: 'name' },
    { ids: ['u-58'] },
    { limit: 50, sort: 'name', text: 'Person 5' },
  ]);
});

it('offers something else beside the members until one is searched', async () => {
  const others = [{ value: '', label: 'The space' }];
  const user = await show(<PersonSelect aria-label="To" value="" others={others} onChange={jest.fn()} />);
  const field = screen.getByRole('combobox', { name: 'To' });
  await user.click(field);
  await screen.findByText('p1@example.com');
  expect(screen.getAllByText('The space')).toHaveLength(2);
  await user.type(field, 'Person 33');
  await user.click(await screen.findByText('p33@example.com'));
  // What was searched is forgotten: the first are offered again, with what is no member.
  await user.click(field);
  await screen.findByText('p1@example.com');
  expect(screen.getAllByText('The space')).toHaveLength(2);
});

it('takes several ids if the members cannot be loaded', async () => {
  list.mockImplementation(() => Promise.reject(new Error('refused')) as never);
  const change = jest.fn();
  const user = await show(<PersonSelect multiple aria-label="People" value={[]} onChange={change} />);
  const field = screen.getByRole('combobox', { name: 'People' });
  await user.click(field);
  await screen.findByText('The list could not be loaded.');
  await user.type(field, 'u-1');
  await user.click(await screen.findByTitle('u-1'));
  expect(change.mock.calls[0]?.[0]).toEqual(['u-1']);
});

it('lets choose from a list while there are few, and shows somebody who has left', async () => {
  list.mockImplementation(({ ids } = {}) => {
    const items = MEMBERS.slice(0, 2).filter(({ user }) => ids?.includes(user.id) ?? true);
    return Promise.resolve({ items, nextCursor: null }) as never;
  });
  const change = jest.fn();
  const user = await show(<Filtered first="u-9" onChange={change} />);
  await screen.findByRole('option', { name: 'Person 1 · p1@example.com' });
  await screen.findByRole('option', { name: 'Former member', selected: true });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Owner' }), 'u-1');
  expect(change.mock.calls).toEqual([['u-1']]);
});

it('filters by a member who is searched, shows who was chosen, and is cleared', async () => {
  const change = jest.fn();
  const user = await show(<Filtered first="u-3" onChange={change} />);
  const field = await screen.findByPlaceholderText<HTMLInputElement>('Anyone');
  await waitFor(() => expect(field.value).toBe('Person 3'));
  await user.clear(field);
  expect(change.mock.calls).toEqual([[undefined]]);
  await user.type(field, 'Person 57');
  // They are not found yet: nobody is chosen.
  await user.keyboard('{Enter}');
  expect(change).toHaveBeenCalledTimes(1);
  await waitFor(() => expect([...(field.list?.options ?? [])].map(({ value }) => value)).toEqual([FOUND]));
  await user.keyboard('{Enter}');
  expect(change.mock.calls[1]).toEqual(['u-57']);
  // What was typed and not found is forgotten.
  await user.type(field, 'x');
  await user.tab();
  expect(field.value).toBe('Person 57');
});
