import { describe, expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import { act, screen, waitFor } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys, queryClient, setSession, signOut } from '../../api.ts';
import { waitForSignIn } from '../../ui/browser/expiry.ts';
import { ExpiredSession } from './expired-session.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const session = {
  accessToken: 'old',
  user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
  space,
  spaces: [space, { ...space, id: 's0' }],
} as never;

const WRONG = {
  status: 401,
  code: 'UNAUTHORIZED',
  message: 'no',
  requestId: null,
  turnId: null,
  retryAfter: null,
};

it('signs in over the page, keeps what was entered, and continues what waited', async () => {
  setSession(session);
  const renewed = { ...(session as object), accessToken: 'new' } as never;
  const login = jest
    .spyOn(client.auth, 'login')
    .mockRejectedValueOnce(new PlatformError(WRONG))
    .mockResolvedValueOnce({ ...(renewed as object), space: { ...space, id: 's0' } } as never);
  const refresh = jest.spyOn(client.auth, 'refresh').mockResolvedValue(renewed);
  const user = await renderInApp(
    <QueryClientProvider client={queryClient}>
      <input aria-label="Draft" />
      <ExpiredSession />
    </QueryClientProvider>,
  );
  await user.type(screen.getByLabelText('Draft'), 'three paragraphs');
  expect(screen.queryByLabelText('Password')).toBeNull();
  let token: Promise<string | null> | undefined;
  act(() => {
    token = waitForSignIn('This sign-in has ended; sign in again');
  });
  await screen.findByText('This sign-in has ended; sign in again');
  await user.type(screen.getByLabelText('Password'), 'wrong{Enter}');
  expect((await screen.findByRole('alert')).textContent).toBe('Email or password is wrong');
  await user.clear(screen.getByLabelText('Password'));
  await user.type(screen.getByLabelText('Password'), 'right{Enter}');
  expect(await token).toBe('new');
  expect(login).toHaveBeenLastCalledWith({ email: 'ada@example.com', password: 'right' });
  // The first space of the account is another one.
  expect(refresh).toHaveBeenCalledWith({ spaceId: 's1' });
  await waitFor(() => expect(screen.queryByLabelText('Password')).toBeNull());
  expect(screen.getByLabelText<HTMLInputElement>('Draft').value).toBe('three paragraphs');
});

describe('while the user signs out', () => {
  /** A call that the service refuses, and whether the session is renewed. */
  function refusedCall(): Promise<unknown> {
    const refusal = { code: 'UNAUTHORIZED', message: 'This sign-in has ended; sign in again' };
    jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(() => Promise.resolve(Response.json(refusal, { status: 401 })));
    return client.agents.list().then(
      () => 'answered',
      (error: unknown) => error,
    );
  }

  it('does not sign in again with a session that was asked for before', async () => {
    setSession(session);
    let renew: (session: never) => void = () => undefined;
    const refresh = jest
      .spyOn(client.auth, 'refresh')
      .mockReturnValue(new Promise((resolve) => (renew = resolve)) as never);
    jest.spyOn(client.auth, 'logout').mockResolvedValue(undefined);
    const call = refusedCall();
    await waitFor(() => expect(refresh).toHaveBeenCalled());
    await signOut();
    renew(session);
    expect(await call).toMatchObject({ status: 401 });
    expect(queryClient.getQueryData(keys.session)).toBeNull();
  });

  it('asks for no password when the service refuses what is still open', async () => {
    setSession(session);
    jest.spyOn(client.auth, 'refresh').mockRejectedValue(new PlatformError(WRONG));
    let leave: () => void = () => undefined;
    jest
      .spyOn(client.auth, 'logout')
      .mockReturnValue(new Promise<void>((resolve) => (leave = resolve)) as never);
    const left = signOut();
    expect(await refusedCall()).toMatchObject({ status: 401 });
    leave();
    await left;
  });

  it('ends what waits for a password', async () => {
    setSession(session);
    const waiting = waitForSignIn('This sign-in has ended; sign in again');
    setSession(null);
    expect(await waiting).toBeNull();
  });
});
