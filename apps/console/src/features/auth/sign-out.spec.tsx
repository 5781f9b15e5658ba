import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys, queryClient, setSession } from '../../api.ts';
import { loadSpaceTexts } from '../../i18n.ts';
import { Component as ConsentPage } from '../oauth/consent-page.tsx';
import { UserMenu } from '../shell/user-menu.tsx';
import { SignedIn } from './signed-in.tsx';
import TemporaryPasswordPage from './temporary-password-page.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const session = {
  accessToken: 'token',
  user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
  space,
  spaces: [space],
} as never;
const STILL = 'You are still signed in';

let logout: jest.SpiedFunction<typeof client.auth.logout>;

beforeEach(() => {
  setSession(session);
  logout = jest.spyOn(client.auth, 'logout').mockRejectedValue(new PlatformConnectionError('refused'));
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

const show = async (element: ReactNode) => {
  await loadSpaceTexts();
  return renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider
        router={createMemoryRouter([
          { path: '/', element },
          { path: '*', element: <p>Welcome</p> },
        ])}
      />
    </QueryClientProvider>,
  );
};

/** The service accepts it now, some time after the click. */
async function signsOutWith(click: () => Promise<void>): Promise<void> {
  const answer = Promise.withResolvers<undefined>();
  logout.mockReturnValue(answer.promise as never);
  await click();
  expect(logout).toHaveBeenCalledTimes(2);
  expect(isSignedIn()).toBe(true);
  await act(async () => answer.resolve(undefined));
  await waitFor(() => expect(queryClient.getQueryData(keys.session)).toBeNull());
}

const isSignedIn = () => queryClient.getQueryData(keys.session) === session;

it('says in the menu of the user that signing out has failed, and tries again', async () => {
  const user = await show(<SignedIn>{() => <UserMenu />}</SignedIn>);
  const menu = screen.getByRole('menu', { hidden: true });
  // jsdom has no popovers: the menu is told what the browser would tell it.
  menu.hidePopover = () => undefined;
  await act(async () => {
    menu.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' }));
  });
  await user.click(await screen.findByText('Sign out'));
  await screen.findAllByText(STILL);
  await screen.findByText('The service cannot be reached.', { exact: false });
  expect(isSignedIn()).toBe(true);
  await signsOutWith(() => user.click(screen.getByRole('button', { name: 'Try again' })));
  await screen.findByText('Welcome');
});

it.each([
  { page: 'on the page of a temporary password', element: <TemporaryPasswordPage />, button: 'Sign out' },
  { page: 'on the consent page', element: <ConsentPage />, button: 'Use another account' },
])('says $page that signing out has failed, and tries again', async ({ element, button }) => {
  jest.spyOn(client.oauth, 'preview').mockRejectedValue(new Error('The request is not complete'));
  const user = await show(element);
  await user.click(await screen.findByRole('button', { name: button }));
  const alert = await screen.findByText(STILL, { exact: false });
  expect(alert.closest('[role=alert]')?.textContent).toContain('The service cannot be reached.');
  expect(isSignedIn()).toBe(true);
  await signsOutWith(() => user.click(screen.getByRole('button', { name: button })));
});
