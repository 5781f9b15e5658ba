import type { ChangeEvent } from '@platform/contracts';
import { onlineManager } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client, queryClient } from '../../api.ts';
import { useSession } from '../auth/session.ts';
import { ChangeFeed, type Connection } from './change-feed.ts';
import { ANY_LIVELY } from './outdated.ts';
import { catchUp, refresh } from './refresh.ts';

/** Changes that come together are loaded together. */
const TOGETHER_MS = 100;
/** A connection that is back so soon is no matter for the user. */
const PATIENCE_MS = 4_000;
const POLL_MS = 5_000;

/** Keeps everything that is shown current. Returns whether it has to ask for changes, because nobody tells of them. */
export function useChanges(): boolean {
  const { user, space } = useSession();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [isPolling, setPolling] = useState(false);
  const scope = `${space.id}.${user.id}`;

  useEffect(() => {
    const collector = new Collector();
    let isFirst = true;
    let wasLost = false;
    const feed = new ChangeFeed({
      changes: client.changes,
      scope,
      onConnection: (next) => {
        if (wasLost && next === 'live') collector.catchUp();
        wasLost = next === 'lost';
        if (wasLost) isFirst = false;
        setConnection(next);
      },
      onEvent: (event) => {
        // The page has just been loaded: what seldom changes did not change since.
        for (const one of event.kind === 'reset' && isFirst ? ANY_LIVELY : [event]) collector.add(one);
        isFirst = false;
      },
    });
    return () => {
      feed.end();
      collector.end();
    };
  }, [scope]);

  useEffect(() => {
    if (connection === 'live') {
      setPolling(false);
      return;
    }
    const timer = setTimeout(() => setPolling(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [connection]);

  useEffect(() => {
    if (!isPolling) return;
    const poll = () => {
      // What is asked for without a connection would wait for it, and be loaded twice.
      if (!document.hidden && onlineManager.isOnline()) void refresh(queryClient, ANY_LIVELY);
    };
    let timer = setInterval(poll, POLL_MS);
    // The stream comes back with the connection, and tells what has changed.
    const unsubscribe = onlineManager.subscribe(() => {
      clearInterval(timer);
      timer = setInterval(poll, POLL_MS);
    });
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }, [isPolling]);
  return isPolling;
}

/** Loads what has changed: at once, and what changes meanwhile afterwards. A page that nobody sees waits until it is seen. */
class Collector {
  private events: ChangeEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  /** What is being loaded; null while nothing is. */
  private loading: ChangeEvent[] | null = null;

  constructor() {
    document.addEventListener('visibilitychange', this.schedule);
  }

  add(event: ChangeEvent): void {
    const isKnown = this.events.some((one) => JSON.stringify(one) === JSON.stringify(event));
    if (!isKnown) this.events.push(event);
    // A page that is not seen for long would collect without end.
    if (this.events.length > 500) this.events = [{ kind: 'reset' }];
    this.schedule();
  }

  /** After the connection was lost. */
  catchUp(): void {
    const lost = this.loading ?? [];
    this.loading = null;
    void catchUp(queryClient).catch(() => undefined);
    for (const event of lost) this.add(event);
  }

  end(): void {
    document.removeEventListener('visibilitychange', this.schedule);
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private readonly schedule = (): void => {
    if (document.hidden || this.loading !== null || this.events.length === 0) return;
    this.timer ??= setTimeout(() => void this.load(), TOGETHER_MS);
  };

  private async load(): Promise<void> {
    const events = this.events;
    this.events = [];
    this.timer = null;
    this.loading = events;
    await refresh(queryClient, events).catch(() => undefined);
    if (this.loading !== events) return;
    this.loading = null;
    this.schedule();
  }
}
