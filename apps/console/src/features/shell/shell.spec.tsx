import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { uploads, useUploads } from '../knowledge/uploads.ts';
import { Component as Shell } from './shell.tsx';

const space = { id: 's1', name: 'Space', role: 'MEMBER' as const };
const former = Object.getOwnPropertyDescriptor(globalThis, 'BroadcastChannel');

beforeEach(() => {
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('There is no service'));
  Object.assign(globalThis, {
    BroadcastChannel: class {
      postMessage = () => undefined;
      close = () => undefined;
    },
  });
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
  Object.defineProperty(globalThis, 'BroadcastChannel', former ?? { value: undefined, configurable: true });
});

async function show(): Promise<void> {
  const router = createMemoryRouter([
    { path: '/', element: <Shell />, children: [{ index: true, element: <p>Page</p> }] },
    { path: '*', element: <p>Sign in</p> },
  ]);
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByText('Page');
}

it('has the browser ask before the tab is closed while files are uploaded', async () => {
  await show();
  const sent = Promise.withResolvers<never>();
  jest.spyOn(client.knowledge, 'createDocument').mockReturnValue(sent.promise as never);
  const isHeld = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(isHeld()).toBe(false);
  act(() => uploads.add([new File(['x'], 'prices.txt')]));
  expect(isHeld()).toBe(true);
  await act(async () => sent.resolve({} as never));
  await waitFor(() => expect(isHeld()).toBe(false));
});

it('leaves nothing of the files of a user who signs out to the next one', async () => {
  await show();
  jest.spyOn(client.knowledge, 'createDocument').mockRejectedValue(new PlatformConnectionError('lost'));
  const { result } = renderHook(useUploads);
  act(() => uploads.add([new File(['x'], 'salaries.txt')]));
  await waitFor(() => expect(result.current.map(({ state }) => state)).toEqual(['failed']));
  act(() => setSession(null));
  await screen.findByText('Sign in');
  expect(result.current).toEqual([]);
});
