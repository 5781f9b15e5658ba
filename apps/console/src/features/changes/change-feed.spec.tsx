import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { FollowOptions } from '@platform/client';
import type { ChangeEvent } from '@platform/contracts';
import { waitFor } from '@testing-library/react';
import { ChangeFeed, type Connection } from './change-feed.ts';

/** What jsdom lacks: one channel and one lock for the tabs of a test. */
const channels = new Set<FakeChannel>();
class FakeChannel {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  constructor(readonly name: string) {
    channels.add(this);
  }
  postMessage(data: unknown): void {
    for (const other of channels) if (other !== this && other.name === this.name) other.onmessage?.({ data });
  }
  close(): void {
    channels.delete(this);
  }
}

let holder: Promise<unknown> = Promise.resolve();
const locks = {
  request: (_name: string, { signal }: { signal: AbortSignal }, work: () => Promise<void>) =>
    (holder = holder.then(() => (signal.aborted ? undefined : work()))),
};

interface Stream extends FollowOptions {
  send: (event: ChangeEvent, position: string) => void;
}

const streams: Stream[] = [];
const open: ChangeFeed[] = [];

beforeEach(() => {
  holder = Promise.resolve();
  Object.assign(globalThis, { BroadcastChannel: FakeChannel });
  Object.defineProperty(navigator, 'locks', { configurable: true, value: locks });
});
afterEach(() => {
  for (const feed of open.splice(0)) feed.end();
  streams.length = 0;
});

/** A service whose streams are sent by the test. */
async function* follow(options: FollowOptions = {}): AsyncGenerator<ChangeEvent, void, undefined> {
  const sent: [ChangeEvent, string][] = [];
  let wake = () => undefined as void;
  const send = (event: ChangeEvent, position: string) => {
    sent.push([event, position]);
    wake();
  };
  options.signal?.addEventListener('abort', () => wake());
  streams.push({ ...options, send });
  options.onConnection?.(true);
  while (options.signal?.aborted !== true) {
    for (const [event, position] of sent.splice(0)) {
      options.onPosition?.(position);
      yield event;
    }
    await new Promise<void>((resolve) => (wake = resolve));
  }
}

function openTab() {
  const events: ChangeEvent[] = [];
  const connections: Connection[] = [];
  const feed = new ChangeFeed({
    changes: { follow },
    scope: 'space.user',
    onEvent: (event) => events.push(event),
    onConnection: (connection) => connections.push(connection),
  });
  open.push(feed);
  return { feed, events, connections };
}

const change: ChangeEvent = { kind: 'run', id: 'r', status: 'SUCCEEDED' };

it('has one stream for all tabs, which another tab continues', async () => {
  const first = openTab();
  const second = openTab();
  await waitFor(() => expect(streams).toHaveLength(1));
  streams[0]?.send(change, 'p1');
  await waitFor(() => expect(second.events).toEqual([change]));
  expect(first.events).toEqual([change]);
  expect([first.connections, second.connections]).toEqual([['live'], ['live']]);
  first.feed.end();
  await waitFor(() => expect(streams).toHaveLength(2));
  expect(streams[1]?.position).toBe('p1');
});

it('begins anew, at its place, as soon as the line is back', async () => {
  const tab = openTab();
  await waitFor(() => expect(streams).toHaveLength(1));
  streams[0]?.send({ kind: 'reset' }, 'p1');
  await waitFor(() => expect(tab.connections).toEqual(['live']));
  streams[0]?.onConnection?.(false);
  expect(tab.connections).toEqual(['live', 'lost']);
  window.dispatchEvent(new Event('online'));
  await waitFor(() => expect(streams).toHaveLength(2));
  expect(streams[1]?.position).toBe('p1');
});

it('has a stream of its own while it is seen, in a browser without locks', async () => {
  Object.defineProperty(navigator, 'locks', { configurable: true, value: undefined });
  const hidden = jest.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  openTab();
  expect(streams).toHaveLength(0);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(streams).toHaveLength(1));
  hidden.mockReturnValue(true);
  document.dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(streams[0]?.signal?.aborted).toBe(true));
});
