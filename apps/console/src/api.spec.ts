import { afterEach, expect, it, jest } from '@jest/globals';
import type { SignInResponse } from '@platform/contracts';
import { cleanup, renderHook } from '@testing-library/react';
import { client, keys, queryClient, reloadSession, setSession } from './api.ts';
import { hasUnsavedInput, useUnsavedInput } from './ui/browser/unsaved-input.ts';

const session = (userId: string, spaceId: string) =>
  ({ accessToken: `${userId} ${spaceId}`, user: { id: userId }, space: { id: spaceId } }) as SignInResponse;

afterEach(() => {
  cleanup();
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
  renderHook(() => useUnsavedInput('page', () => true));
  expect(hasUnsavedInput()).toBe(true);
  expect(await reloadSession()).toBe(false);
  // The browser would ask, and the page could stay.
  expect(hasUnsavedInput()).toBe(false);
  expect(queryClient.getQueryData(keys.session)).toEqual(session('ann', 'x'));
});

it('keeps nothing of a session that has ended', () => {
  setSession(session('ann', 'x'));
  queryClient.setQueryData(keys.members, ['Ann']);
  setSession(null);
  expect(queryClient.getQueryData(keys.members)).toBeUndefined();
});
