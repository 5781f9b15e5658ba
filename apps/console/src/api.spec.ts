import { afterEach, expect, it, jest } from '@jest/globals';
import type { SignInResponse } from '@platform/contracts';
import { client, keys, queryClient, reloadSession, setSession } from './api.ts';

const session = (userId: string, spaceId: string) =>
  ({ accessToken: `${userId} ${spaceId}`, user: { id: userId }, space: { id: spaceId } }) as SignInResponse;

afterEach(() => {
  jest.restoreAllMocks();
  setSession(null);
});

it('stays in the space of the page, although another tab has chosen another one', async () => {
  setSession(session('ann', 'x'));
  const refresh = jest.spyOn(client.auth, 'refresh').mockResolvedValue(session('ann', 'x'));
  expect(await reloadSession()).toBe(true);
  expect(refresh).toHaveBeenCalledWith({ spaceId: 'x' });
});

it('does not continue in the name of somebody who has signed in in another tab', async () => {
  setSession(session('ann', 'x'));
  jest.spyOn(client.auth, 'refresh').mockResolvedValue(session('bob', 'x'));
  expect(await reloadSession()).toBe(false);
  expect(queryClient.getQueryData(keys.session)).toEqual(session('ann', 'x'));
});

it('keeps nothing of a session that has ended', () => {
  setSession(session('ann', 'x'));
  queryClient.setQueryData(keys.members, ['Ann']);
  setSession(null);
  expect(queryClient.getQueryData(keys.members)).toBeUndefined();
});
