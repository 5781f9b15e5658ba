import type { ChangesResource } from '@platform/client';
import type { ChangeEvent } from '@platform/contracts';

/** `lost`: there was a stream, or there should be one by now. */
export type Connection = 'connecting' | 'live' | 'lost';

/** What the tab with the stream tells the others. */
type Message = { connection: Connection; position: string } | { event: ChangeEvent } | { asks: true };

interface FeedOptions {
  changes: Pick<ChangesResource, 'follow'>;
  /** The space and the user: tabs of the same share one stream. */
  scope: string;
  onEvent: (event: ChangeEvent) => void;
  onConnection: (connection: Connection) => void;
}

const RETRY_MS = 10_000;
/** Heartbeats arrive every 10 seconds. */
const IDLE_TIMEOUT_MS = 15_000;
/** A page that was away is current within two seconds. */
const RECONNECT = { baseDelayMs: 250, maxDelayMs: 1_000 };

/**
 * The stream of changes, once for all tabs of a browser: the one that holds a lock follows it and tells the others. Where there are no
 * locks (without https), each tab has its own while it is visible, because a browser opens few connections.
 */
export class ChangeFeed {
  private readonly channel: BroadcastChannel;
  private readonly ended = new AbortController();
  private connection: Connection = 'connecting';
  private position = '';
  private isLeader = false;
  private readonly options: FeedOptions;

  constructor(options: FeedOptions) {
    this.options = options;
    this.channel = new BroadcastChannel(`platform.changes.${options.scope}`);
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.receive(data);
    // `locks` is missing in pages without https, whatever its type says.
    const locks = navigator.locks as LockManager | undefined;
    const { signal } = this.ended;
    if (locks === undefined) void this.followWhileVisible();
    else {
      const lead = () => this.follow(signal);
      locks.request(this.channel.name, { signal }, lead).catch(() => undefined);
    }
    this.post({ asks: true });
  }

  end(): void {
    this.ended.abort();
    this.channel.close();
  }

  private receive(message: Message): void {
    if ('asks' in message) {
      if (this.isLeader) this.post({ connection: this.connection, position: this.position });
    } else if ('event' in message) this.options.onEvent(message.event);
    else if (!this.isLeader) {
      this.position = message.position;
      this.changeTo(message.connection);
    }
  }

  private changeTo(connection: Connection): void {
    if (this.connection === connection) return;
    this.connection = connection;
    this.options.onConnection(connection);
  }

  private tell(connection: Connection): void {
    this.changeTo(connection);
    this.post({ connection, position: this.position });
  }

  private post(message: Message): void {
    if (!this.ended.signal.aborted) this.channel.postMessage(message);
  }

  private async followWhileVisible(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      if (document.hidden) await next(document, 'visibilitychange', signal);
      const hidden = new AbortController();
      const onChange = () => document.hidden && hidden.abort();
      document.addEventListener('visibilitychange', onChange);
      await this.follow(AbortSignal.any([signal, hidden.signal]));
      document.removeEventListener('visibilitychange', onChange);
    }
  }

  /** Follows the stream until the signal aborts, also after it was refused. */
  private async follow(signal: AbortSignal): Promise<void> {
    this.isLeader = true;
    while (!signal.aborted) {
      const connection = new AbortController();
      const restart = () => connection.abort();
      // A connection that was cut without a word is noticed only after its heartbeats are missed.
      for (const type of ['offline', 'online']) window.addEventListener(type, restart);
      try {
        await this.read(AbortSignal.any([signal, connection.signal]));
      } catch {
        this.tell('lost');
        await next(window, 'online', AbortSignal.any([signal, AbortSignal.timeout(RETRY_MS)]));
      } finally {
        for (const type of ['offline', 'online']) window.removeEventListener(type, restart);
      }
    }
    this.isLeader = false;
  }

  private async read(signal: AbortSignal): Promise<void> {
    const events = this.options.changes.follow({
      signal,
      ...(this.position !== '' && { position: this.position }),
      reconnect: RECONNECT,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      onPosition: (position) => {
        this.position = position;
        this.tell('live');
      },
      onConnection: (isConnected) => {
        if (!isConnected) this.tell('lost');
      },
    });
    for await (const event of events) {
      this.options.onEvent(event);
      this.post({ event });
    }
  }
}

/** Resolves at the next event, or when the signal aborts. */
function next(target: EventTarget, type: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  target.addEventListener(type, end, { once: true });
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => target.removeEventListener(type, end));
}
