import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { unavailable } from '../../infra/errors/app-error.ts';
import { untilAborted } from '../../infra/runtime/until-aborted.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { SegmentReaderService } from '../answers/segment-reader.service.ts';
import type { ActiveTurn } from './active-turn.ts';
import { forwardCancelRequest } from '../records/cancel-request.store.ts';
import { TurnEngineService } from './turn-engine.service.ts';

/** How long a shutdown waits for running turns before it stops them. */
const DRAIN_MS = 20_000;
/** How long stopped turns have to be closed. */
const STOP_MS = 10_000;
/** How long callers have to read the ends of their turns. Slower readers can re-attach. */
const RESPOND_MS = 2_000;

/** The turns that this process runs, from the transaction that stores them to their end. */
@Injectable()
export class TurnRunnerService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(TurnRunnerService.name);
  private readonly active = new Map<ActiveTurn, Promise<void>>();
  /** Transactions under way: what they store may already be RUNNING before it is in `active`. */
  private readonly launching = new Set<Promise<unknown>>();
  private draining = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly engine: TurnEngineService,
    private readonly streams: StreamsService,
    private readonly readers: SegmentReaderService,
  ) {}

  /** Throws UNAVAILABLE once the process is shutting down. */
  assertOpen(): void {
    if (this.draining) throw unavailable('The service is shutting down; try again', { retryAfter: 5 });
  }

  /** Runs the turn that `claim` stores; a shutdown waits for both. Throws UNAVAILABLE once the process is shutting down. */
  async launch(claim: () => Promise<ActiveTurn>): Promise<ActiveTurn> {
    this.assertOpen();
    const launch = claim().then((turn) => {
      this.add(turn);
      return turn;
    });
    this.launching.add(launch);
    try {
      return await launch;
    } finally {
      this.launching.delete(launch);
    }
  }

  private add(turn: ActiveTurn): void {
    this.streams.renewLease(turn.writer, () => turn.stop('cancelled'));
    const run = this.run(turn).finally(() => {
      this.streams.releaseLease(turn.writer);
      this.active.delete(turn);
    });
    this.active.set(turn, run);
    if (this.stopped) turn.stop('shutdown');
  }

  private async run(turn: ActiveTurn): Promise<void> {
    const ready = turn.mayHaveCancelRequest
      ? this.forwardEarlyCancel(turn).catch(() => undefined)
      : Promise.resolve();
    await this.engine.run(turn, ready);
  }

  /** A cancel request that came before its turn becomes one for the turn's stream. */
  private forwardEarlyCancel({ agent, userId, turnId, writer }: ActiveTurn): Promise<void> {
    const request = { agentId: agent.id, userId, turnId };
    const cancel = () => this.streams.requestCancel(this.database, writer.streamId);
    // Not the signal of the turn, which aborts as soon as the request is forwarded.
    return whileUnavailable(() => forwardCancelRequest(this.database, request, cancel), writer.signal);
  }

  /** Resolves when this process does not run the turn of the stream, or no longer does. */
  async ended(streamId: string): Promise<void> {
    for (const [{ writer }, run] of this.active) if (writer.streamId === streamId) await run;
  }

  /** Resolves when no turn runs or is being launched. */
  async drain(): Promise<void> {
    while (this.isBusy) await Promise.allSettled([...this.launching, ...this.active.values()]);
  }

  /** How many turns this process runs. */
  get running(): number {
    return this.active.size;
  }

  private get isBusy(): boolean {
    return this.launching.size + this.active.size > 0;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.draining = true;
    if (!this.isBusy) return;
    this.logger.log(`Waiting for ${this.active.size} running turns`);
    await untilAborted(AbortSignal.timeout(DRAIN_MS), this.drain());
    this.stopped = true;
    for (const turn of this.active.keys()) turn.stop('shutdown');
    // Without a database no turn can be closed: its lease expires, and another process ends it.
    await untilAborted(AbortSignal.timeout(STOP_MS), this.drain());
    // All connections are closed next.
    await untilAborted(AbortSignal.timeout(RESPOND_MS), this.readers.responded());
  }
}
