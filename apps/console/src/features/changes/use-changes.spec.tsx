import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { FollowOptions } from '@platform/client';
import type { ChangeEvent } from '@platform/contracts';
import { onlineManager, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, cleanup, render, waitFor } from '@testing-library/react';
import { client, keys, queryClient, setSession } from '../../api.ts';
import { useChanges } from './use-changes.ts';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const session = { accessToken: 'a', user: { id: 'u1' }, space, spaces: [space] } as never;

/** What jsdom lacks. */
class SilentChannel {
  postMessage(): void {}
  close(): void {}
}

beforeEach(() => {
  Object.assign(globalThis, { BroadcastChannel: SilentChannel });
  Object.defineProperty(navigator, 'locks', { configurable: true, value: undefined });
  setSession(session);
});

afterEach(() => {
  cleanup();
  queryClient.clear();
});

it.each([
  ['nothing if the stream begins with the page', false, 1],
  ['everything if the connection was lost before the stream began', true, 2],
])('loads again %s', async (_, isLost, loads) => {
  const load = jest.fn(() => Promise.resolve([]));
  const seldom = jest.fn(() => Promise.resolve([]));
  async function* follow({ onConnection, signal }: FollowOptions = {}): AsyncGenerator<
    ChangeEvent,
    void,
    undefined
  > {
    await waitFor(() => expect(seldom).toHaveBeenCalledTimes(1));
    if (isLost) onConnection?.(false);
    onConnection?.(true);
    yield { kind: 'reset' };
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  }
  jest.spyOn(client.changes, 'follow').mockImplementation(follow);
  function Page() {
    useChanges();
    useQuery({ queryKey: keys.runs, queryFn: load });
    useQuery({ queryKey: keys.agents, queryFn: seldom });
    return null;
  }
  render(
    <QueryClientProvider client={queryClient}>
      <Page />
    </QueryClientProvider>,
  );
  // What changes by itself is loaded again in any case, and at the same time.
  await waitFor(() => expect(load).toHaveBeenCalledTimes(2));
  expect(seldom).toHaveBeenCalledTimes(loads);
});

it('asks for changes after the connection is back only if the stream does not come back with it', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  const load = jest.fn(() => Promise.resolve([]));
  async function* follow({ onConnection, signal }: FollowOptions = {}): AsyncGenerator<
    ChangeEvent,
    void,
    undefined
  > {
    onConnection?.(false);
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    yield* [];
  }
  jest.spyOn(client.changes, 'follow').mockImplementation(follow);
  function Page() {
    useChanges();
    useQuery({ queryKey: keys.runs, queryFn: load });
    return null;
  }
  const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
  try {
    render(
      <QueryClientProvider client={queryClient}>
        <Page />
      </QueryClientProvider>,
    );
    await pass(4_000);
    await pass(5_000);
    expect(load).toHaveBeenCalledTimes(2);
    onlineManager.setOnline(false);
    await pass(9_900);
    onlineManager.setOnline(true);
    await pass(4_900);
    expect(load).toHaveBeenCalledTimes(2);
    await pass(100);
    expect(load).toHaveBeenCalledTimes(3);
  } finally {
    onlineManager.setOnline(true);
    jest.useRealTimers();
  }
});
