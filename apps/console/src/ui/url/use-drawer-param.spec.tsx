import { afterEach, expect, it } from '@jest/globals';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router';
import { useDrawerParam } from './use-drawer-param.ts';

afterEach(cleanup);

let closeDrawer: () => void;

function Models() {
  const [shown, open, close] = useDrawerParam('model');
  // What a save calls that was begun while the drawer was open.
  if (shown !== undefined) closeDrawer = close;
  return (
    <>
      <button onClick={() => open('new')}>Add</button>
      <p>{shown ?? 'closed'}</p>
    </>
  );
}

function show() {
  const router = createMemoryRouter(
    [
      {
        element: <Outlet />,
        children: [
          { path: '/', element: <p>home</p> },
          { path: '/models', element: <Models /> },
        ],
      },
    ],
    { initialEntries: ['/', '/models'], initialIndex: 1 },
  );
  render(<RouterProvider router={router} />);
  act(() => screen.getByText('Add').click());
  return router;
}

it('closes by going back', async () => {
  const router = show();
  await screen.findByText('new');
  act(() => closeDrawer());
  await screen.findByText('closed');
  expect(router.state.location).toMatchObject({ pathname: '/models', search: '' });
});

it('leads nowhere when a save ends after Back has closed the drawer', async () => {
  const router = show();
  await screen.findByText('new');
  await act(() => router.navigate(-1));
  await screen.findByText('closed');
  await act(async () => closeDrawer());
  expect(router.state.location.pathname).toBe('/models');

  act(() => screen.getByText('Add').click());
  await screen.findByText('new');
  await act(() => router.navigate('/'));
  await screen.findByText('home');
  await act(async () => closeDrawer());
  await waitFor(() => expect(router.state.location.pathname).toBe('/'));
  screen.getByText('home');
});
