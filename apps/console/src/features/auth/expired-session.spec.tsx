import { expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import { act, screen, waitFor } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { waitForSignIn } from '../../ui/browser/expiry.ts';
import { ExpiredSession } from './expired-session.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const session = {
  accessToken: 'old',
  user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
  space,
  spaces: [space, { ...space, id: 's0' }],
} as never;

it('signs in over the page, keeps what was entered, and continues what waited', async () => {
  setSession(session);
  const wrong = {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'no',
    requestId: null,
    turnId: null,
    retryAfter: null,
  };
  const renewed = { ...(session as object), accessToken: 'new' } as never;
  const login = jest
    .spyOn(client.auth, 'login')
    .mockRejectedValueOnce(new PlatformError(wrong))
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
  await screen.findByText('Email or password is wrong');
  await user.clear(screen.getByLabelText('Password'));
  await user.type(screen.getByLabelText('Password'), 'right{Enter}');
  expect(await token).toBe('new');
  expect(login).toHaveBeenLastCalledWith({ email: 'ada@example.com', password: 'right' });
  // The first space of the account is another one.
  expect(refresh).toHaveBeenCalledWith({ spaceId: 's1' });
  await waitFor(() => expect(screen.queryByLabelText('Password')).toBeNull());
  expect(screen.getByLabelText<HTMLInputElement>('Draft').value).toBe('three paragraphs');
});
