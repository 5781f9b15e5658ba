import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { HINT_KINDS, type HintKind } from './messaging.ts';
import { Sleeper } from '../runtime/sleeper.ts';

/** The prefix of every key of the service. */
export const KEY_PREFIX = 'platform';
const EPOCH_KEY = `${KEY_PREFIX}:epoch`;
const PROBE_MS = 500;
/** How long nothing is published after a failure, because each attempt delays its caller by up to 300 ms. */
const BACKOFF_MS = 2_000;
/** A connection without a reply for this long counts as dead. */
const SILENCE_MS = 10_000;

export const retryDelay = (times: number): number => Math.min(50 * 2 ** times, 1_000);

/** For all connections: they recover within a second after the server, also if it has become a replica. */
export const CONNECTION: RedisOptions = {
  connectTimeout: 2_000,
  disconnectTimeout: 100,
  enableReadyCheck: false,
  // A connection that ends before it has introduced itself would count as ready, and never be opened again.
  disableClientInfo: true,
  retryStrategy: retryDelay,
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
};

/** Fails immediately instead of queueing commands that cannot be sent. */
const PRODUCER: RedisOptions = {
  ...CONNECTION,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 250,
};

/**
 * Monitors whether Redis accepts writes, and detects when it may have lost data: after every failure, and when the epoch
 * key is missing or different (FLUSHALL, a restart, or a failover to an empty server).
 */
export class RedisWatch {
  /** Hints are published on the probed connection, so a probe predicts what happens to a hint. */
  readonly client: Redis;
  private readonly logger = new Logger('Messaging');
  private readonly sleeper = new Sleeper();
  private readonly running: Promise<void>;
  private stopping = false;
  private up = false;
  private warned = false;
  private epoch: string | null = null;
  /** The reason for a missing connection, which says more than the error of the command that needed it. */
  private connectionError: Error | null = null;
  private lastReplyAt = performance.now();
  private reconnected = false;
  private backoffUntil = 0;
  private readonly waiting = new Map<HintKind, number>();

  /** `recovered` is awaited before Redis counts as up. With `afterSilence`, other connections may be dead as well. */
  constructor(
    url: string,
    private readonly recovered: (afterSilence: boolean) => Promise<void>,
    private readonly announce: () => void,
  ) {
    this.client = new Redis(url, PRODUCER);
    this.client.on('error', (error) => (this.connectionError = error));
    this.client.on('close', () => (this.up = false));
    this.client.on('ready', () => {
      this.connectionError = null;
      this.sleeper.wake();
    });
    this.running = this.run();
  }

  get isUp(): boolean {
    return this.up;
  }

  /** Returns how many jobs with hints of a kind wait in Redis, as of the last probe plus those added since. */
  countJobs(kind: HintKind): number {
    return this.waiting.get(kind) ?? 0;
  }

  /** Counts the jobs of a kind now. */
  async recount(kind: HintKind): Promise<void> {
    this.waiting.set(kind, await this.client.llen(waitingKey(kind)));
  }

  countAdded(kind: HintKind, count: number): void {
    this.waiting.set(kind, this.countJobs(kind) + count);
  }

  /** Reports that a hint could not be published. Nothing is published for a while, even if probes still succeed. */
  reportFailure(error: unknown): void {
    this.backoffUntil = performance.now() + BACKOFF_MS;
    this.markDown(error);
  }

  /** Until a probe succeeds, nothing is published; then everything is published again. */
  private markDown(error: unknown): void {
    this.up = false;
    if (!this.warned)
      this.logger.warn({ err: error }, 'Redis does not accept hints; work waits in the database');
    this.warned = true;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.sleeper.wake();
    await this.running;
    this.client.disconnect();
  }

  private async run(): Promise<void> {
    for (;;) {
      await this.sleeper.sleep(PROBE_MS);
      if (this.stopping) return;
      await this.check();
    }
  }

  private async check(): Promise<void> {
    try {
      const epoch = await this.probe();
      this.lastReplyAt = performance.now();
      if (this.up && epoch === this.epoch) {
        this.reportRecovery();
        return;
      }
      if (performance.now() < this.backoffUntil) return;
      if (!this.up) await this.checkPolicy();
      await this.recovered(this.reconnected);
      this.reconnected = false;
      this.epoch = epoch;
      this.up = true;
      this.announce();
    } catch (error) {
      this.markDown(error);
      this.reconnectSilentPeer();
    }
  }

  /** Called at the second successful probe, so that a server that rejects hints but accepts probes does not flood the log. */
  private reportRecovery(): void {
    if (this.warned) this.logger.log('Redis accepts hints again');
    this.warned = false;
  }

  private reconnectSilentPeer(): void {
    const now = performance.now();
    if (this.client.status !== 'ready' || now - this.lastReplyAt < SILENCE_MS) return;
    this.lastReplyAt = now;
    this.reconnected = true;
    this.client.disconnect(true);
  }

  /** Returns the epoch. It writes, because a full server or a replica still serves reads. */
  private async probe(): Promise<string> {
    const pipeline = this.client.pipeline().set(EPOCH_KEY, randomUUID(), 'NX').get(EPOCH_KEY);
    for (const kind of HINT_KINDS) pipeline.llen(waitingKey(kind));
    const [, epoch, ...lengths] = unwrapReplies(await pipeline.exec());
    if (typeof epoch !== 'string') throw new Error('Redis does not store what is written');
    HINT_KINDS.forEach((kind, i) => this.waiting.set(kind, Number(lengths[i])));
    return epoch;
  }

  private async checkPolicy(): Promise<void> {
    const policy = /^maxmemory_policy:(\S+)/m.exec(await this.client.info('memory'))?.[1] ?? 'unknown';
    if (policy === 'noeviction') return;
    this.logger.warn(
      `Redis may evict hints, which delays work: set maxmemory-policy to noeviction (it is ${policy})`,
    );
  }
}

function waitingKey(kind: HintKind): string {
  return `${KEY_PREFIX}:${kind}:wait`;
}

function unwrapReplies(replies: [Error | null, unknown][] | null): unknown[] {
  return (replies ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
