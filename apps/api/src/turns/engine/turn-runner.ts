import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { unavailable } from '../../infra/http/app-error.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import type { ActiveTurn } from './active-turn.ts';
import { consumeCancelRequest } from '../records/cancel-request.store.ts';
import { TurnEngine } from './turn-engine.ts';

/** How long a shutdown waits for running turns before it stops them. */
const DRAIN_MS = 20_000;
/** How long stopped turns have to be closed. */
const STOP_MS = 10_000;

/** The turns that this process runs, from their claim to their end. */
@Injectable()
export class TurnRunner implements BeforeApplicationShutdown {
  private readonly logger = new Logger(TurnRunner.name);
  private readonly active = new Map<ActiveTurn, Promise<void>>();
  /** Leases under way: what they claim may be running before it is known here. */
  private readonly claiming = new Set<Promise<unknown>>();
  private draining = false;
  private stopped = false;

  constructor(
    private readonly database: DataSource,
    private readonly engine: TurnEngine,
    private readonly streams: StreamsService,
  ) {}

  /** Throws UNAVAILABLE once the process is shutting down: nothing new is claimed then. */
  assertOpen(): void {
    if (this.draining) throw unavailable('The service is shutting down; try again', { retryAfter: 5 });
  }

  /** Leases a turn and runs it; a shutdown waits for both. Throws UNAVAILABLE once the process is shutting down. */
  async claim(work: () => Promise<ActiveTurn>): Promise<ActiveTurn> {
    this.assertOpen();
    const claim = work().then((turn) => {
      this.launch(turn);
      return turn;
    });
    this.claiming.add(claim);
    try {
      return await claim;
    } finally {
      this.claiming.delete(claim);
    }
  }

  /** Runs a claimed turn in the background. */
  private launch(turn: ActiveTurn): void {
    this.streams.renewLease(turn.writer, () => turn.stop('cancelled'));
    const run = this.run(turn).finally(() => {
      this.streams.releaseLease(turn.writer);
      this.active.delete(turn);
    });
    this.active.set(turn, run);
    if (this.stopped) turn.stop('shutdown');
  }

  private async run(turn: ActiveTurn): Promise<void> {
    const wish = { agentId: turn.agent.id, userId: turn.userId, turnId: turn.turnId };
    if (turn.origin === 'start') {
      const take = () => consumeCancelRequest(this.database, wish);
      if (await whileUnavailable(take, turn.signal).catch(() => false)) turn.stop('cancelled');
    }
    await this.engine.run(turn);
  }

  /** Resolves when this process does not run the stream's turn, or no longer. */
  async ended(streamId: string): Promise<void> {
    for (const [{ writer }, run] of this.active) if (writer.streamId === streamId) await run;
  }

  /** Resolves when no turn runs or is being claimed. */
  async settle(): Promise<void> {
    while (this.isBusy) await Promise.allSettled([...this.claiming, ...this.active.values()]);
  }

  private get isBusy(): boolean {
    return this.claiming.size + this.active.size > 0;
  }

  private async within(ms: number): Promise<void> {
    const over = new AbortController();
    const limit = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([this.settle(), limit]);
    over.abort();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.draining = true;
    if (!this.isBusy) return;
    this.logger.log(`Waiting for ${this.active.size} running turns`);
    await this.within(DRAIN_MS);
    this.stopped = true;
    for (const turn of this.active.keys()) turn.stop('shutdown');
    // Without a database no turn can be closed; its lease will lapse and another process ends it.
    await this.within(STOP_MS);
  }
}
