import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { HINT_KINDS, type HintKind } from './messaging.ts';
import { Sleeper } from './sleeper.ts';

/** Every key of the service begins so. */
export const KEY_PREFIX = 'platform';
const EPOCH_KEY = `${KEY_PREFIX}:epoch`;
const PROBE_MS = 500;
/** How long nothing is published after a failure: each try costs its caller up to 300 ms. */
const QUIET_MS = 2_000;
/** After so long without an answer on a standing connection its peer is taken for gone. */
const SILENCE_MS = 10_000;

/** Shared by all connections: back within a second of the server's return, also where it became a replica. */
export const CONNECTION: RedisOptions = {
  connectTimeout: 2_000,
  disconnectTimeout: 100,
  enableReadyCheck: false,
  retryStrategy: (times) => Math.min(50 * 2 ** times, 1_000),
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
};

/** Fails at once rather than collect what cannot be sent. */
const PRODUCER: RedisOptions = {
  ...CONNECTION,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 250,
};

/**
 * Knows whether Redis takes writes, and notices when it may have lost what it held: after each failure, and when the
 * epoch key is gone or another (FLUSHALL, a restart or a failover to an empty server).
 */
export class RedisWatch {
  /** Publishes on the watched connection itself: what the probe sees is what a hint would meet. */
  readonly client: Redis;
  private readonly logger = new Logger('Messaging');
  private readonly sleeper = new Sleeper();
  private readonly running: Promise<void>;
  private stopping = false;
  private up = false;
  private warned = false;
  private epoch: string | null = null;
  /** Why there is no connection: says more than the failure of what needed one. */
  private connectionError: Error | null = null;
  private answeredAt = performance.now();
  private reconnected = false;
  private quietUntil = 0;
  private readonly waiting = new Map<HintKind, number>();

  /** `recovered` is awaited before Redis counts as up; `afterSilence`: other connections may be dead as well. */
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

  /** Hints of a kind that wait in Redis, as of the last probe and what was published since. */
  countWaiting(kind: HintKind): number {
    return this.waiting.get(kind) ?? 0;
  }

  countPublished(kind: HintKind, count: number): void {
    this.waiting.set(kind, this.countWaiting(kind) + count);
  }

  /** A hint was not taken: for a while nobody tries again, also where Redis still answers the probes. */
  reportFailure(error: unknown): void {
    this.quietUntil = performance.now() + QUIET_MS;
    this.markDown(error);
  }

  /** Hints are lost: nothing is published until a probe succeeds, and then everything again. */
  private markDown(error: unknown): void {
    this.up = false;
    if (!this.warned)
      this.logger.warn({ err: error }, 'Redis does not take hints: work waits in the database');
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
      this.answeredAt = performance.now();
      if (this.up && epoch === this.epoch) {
        this.reportRecovery();
        return;
      }
      if (performance.now() < this.quietUntil) return;
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

  /** At the second good probe, lest a server that answers and yet refuses hints fills the log. */
  private reportRecovery(): void {
    if (this.warned) this.logger.log('Redis takes hints again');
    this.warned = false;
  }

  private reconnectSilentPeer(): void {
    const now = performance.now();
    if (this.client.status !== 'ready' || now - this.answeredAt < SILENCE_MS) return;
    this.answeredAt = now;
    this.reconnected = true;
    this.client.disconnect(true);
  }

  /** Resolves to the epoch. It writes, for a server that is full or a replica answers to reads. */
  private async probe(): Promise<string> {
    const pipeline = this.client.pipeline().set(EPOCH_KEY, randomUUID(), 'NX').get(EPOCH_KEY);
    for (const kind of HINT_KINDS) pipeline.llen(`${KEY_PREFIX}:${kind}:wait`);
    const [, epoch, ...lengths] = unwrapReplies(await pipeline.exec());
    if (typeof epoch !== 'string') throw new Error('Redis does not keep what is written');
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

function unwrapReplies(replies: [Error | null, unknown][] | null): unknown[] {
  return (replies ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
