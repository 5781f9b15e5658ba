import { expect, it } from '@jest/globals';
import { act, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { useSearchFields } from './use-search-fields.ts';
import { useSearchFilter } from './use-search-filter.ts';

let change: ReturnType<typeof useSearchFields>[1];

function Page() {
  const [words = '', setWords] = useSearchFilter('q');
  const [, setSort] = useSearchFilter('sort');
  change = useSearchFields()[1];
  return (
    <>
      <input aria-label="Search" value={words} onChange={({ target }) => setWords(target.value)} />
      <button
        onClick={() => {
          setWords('both');
          setSort('name');
        }}
      >
        Both
      </button>
    </>
  );
}

function open(entries: string[]) {
  const router = createMemoryRouter([{ path: '*', Component: Page }], { initialEntries: entries });
  render(<RouterProvider router={router} />);
  return router;
}

it('keeps each of two changes of one moment', async () => {
  const router = open(['/?status=FAILED']);
  await userEvent.click(screen.getByText('Both'));
  await waitFor(() => expect(router.state.location.search).toBe('?status=FAILED&q=both&sort=name'));
  await act(async () => {
    change({ q: undefined });
    change({ status: undefined });
  });
  expect(router.state.location.search).toBe('?sort=name');
});

it('keeps what is typed fast', async () => {
  const router = open(['/']);
  await userEvent.setup({ delay: null }).type(screen.getByLabelText('Search'), 'abcdefgh');
  await waitFor(() => expect(router.state.location.search).toBe('?q=abcdefgh'));
});

it('changes what Back has brought back', async () => {
  const router = open(['/?q=first']);
  await act(() => router.navigate('/?q=second'));
  await act(async () => change({ sort: 'name' }));
  await act(() => router.navigate(-1));
  await act(async () => change({ sort: 'size' }));
  expect(router.state.location.search).toBe('?q=first&sort=size');
});
