import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { CatalogService } from '../../models/catalog/catalog.service.ts';
import type { ModelUsage } from '../../models/port/model-provider.ts';
import { costOf } from '../../models/pricing/price.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { UsageService } from '../../usage/usage.service.ts';
import { UsageTotal, type StepUsage } from './active-turn.ts';
import { readInterruptedMessage, usageOfInterrupted } from './expired-reservations.worker.ts';
import { listTurnsOfStreams, type Orphan } from './orphans.store.ts';
import { collectExecutions, writeUnfinishedCalls } from '../answers/open-executions.ts';
import { chargeCall } from './turn-billing.ts';
import { payerOf } from '../records/payer.ts';
import { keepCompleted, loadUsageBefore } from '../records/segment-history.store.ts';
import { toCompleted, writeCanceledFrames, writeFailureFrames } from '../answers/closing-frames.ts';
import type { UsageFigures } from '../answers/token-usage.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';
import { getTurn, insertStep, loadSteps } from '../records/turn.store.ts';
import { TurnTransitionsService } from '../transitions/turn-transitions.service.ts';

const INTERRUPTED: TurnFailure = {
  code: 'INTERRUPTED',
  message: 'The turn was interrupted; send it again to run it once more',
  retryable: true,
};

/**
 * Ends the turns whose process died: FAILED and retryable, or CANCELLED if that was requested. The text so far is stored
 * and the stream is closed. Recovery waits for one lease after its own start and after every pause, so that a database
 * outage does not turn running turns into orphans.
 */
@Injectable()
export class TurnRecoveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TurnRecoveryWorker.name);
  private timer: NodeJS.Timeout | null = null;
  private notBefore = 0;
  private lastSweep = 0;
  private sweeping: Promise<void> | null = null;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly streams: StreamsService,
    private readonly catalog: CatalogService,
    private readonly usage: UsageService,
    private readonly transitions: TurnTransitionsService,
  ) {}

  onApplicationBootstrap(): void {
    this.wait();
    this.lastSweep = performance.now();
    this.timer = setInterval(() => this.tick(), this.streams.leaseMs / 4).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.sweeping;
  }

  private tick(): void {
    this.sweeping ??= this.sweep().finally(() => (this.sweeping = null));
  }

  private async sweep(): Promise<void> {
    const { leaseMs } = this.streams;
    const began = performance.now();
    if (began - this.lastSweep > leaseMs / 2) this.wait();
    this.lastSweep = began;
    if (began < this.notBefore) return;
    try {
      const expired = await this.streams.findExpired(this.database);
      const orphans = expired.length === 0 ? [] : await listTurnsOfStreams(this.database, expired);
      if (performance.now() - began > leaseMs / 4) this.wait();
      else for (const orphan of orphans) await this.endOrLog(orphan);
    } catch (error) {
      this.wait();
      this.logger.warn({ err: error }, 'Interrupted turns could not be found; retrying');
    }
  }

  /** Gives running turns the time to renew their leases. */
  private wait(): void {
    this.notBefore = performance.now() + this.streams.leaseMs;
  }

  private async endOrLog(orphan: Orphan): Promise<void> {
    try {
      await this.end(orphan);
    } catch (error) {
      this.logger.warn({ err: error, turn: orphan.id }, 'An interrupted turn could not be ended; retrying');
    }
  }

  private async end({ id, streamId }: Orphan): Promise<void> {
    const closed = await this.database.transaction(async (tx) => {
      const taken = await this.streams.takeOver(tx, streamId);
      const turn = taken && (await getTurn(tx, id));
      if (!turn) return null;
      const { writer, cancelRequested } = taken;
      const steps = await loadSteps(tx, id);
      const interrupted = await readInterruptedMessage(tx, this.streams, streamId);
      const { text, elapsedMs: executionMs } = interrupted;
      const tokens = await countTokens(text);
      const nextStep = (steps.at(-1)?.n ?? 0) + 1;
      const partial = { kind: 'partial' as const, content: { text }, tokens };
      const messageId = text === '' ? null : await insertStep(tx, id, nextStep, partial);
      await this.transitions.end(tx, turn, {
        ...(cancelRequested
          ? { status: 'CANCELLED', error: null }
          : { status: 'FAILED', error: INTERRUPTED }),
        executionMs,
      });
      const executions = await collectExecutions(this.streams.readStored(streamId));
      const unfinished = executions.filter(({ status }) => status === 'started');
      const used = await usageOfInterrupted(tx, this.catalog, { turn, steps, last: interrupted });
      const due = used && (await this.priced(turn, used));
      const usage = await this.usedIn(tx, turn, streamId, due);
      const completed = toCompleted(turn, { messageId, usage, executionMs, finishReason: 'cancelled' });
      if (cancelRequested) await keepCompleted(tx, streamId, completed);
      const batch = await writer.end(tx, (closing) => {
        writeUnfinishedCalls(closing, unfinished, cancelRequested ? 'CANCELLED' : 'FAILED');
        if (cancelRequested) writeCanceledFrames(closing, completed);
        else writeFailureFrames(closing, { ...INTERRUPTED, turnId: turn.turnId, requestId: null });
      });
      await chargeCall(tx, this.usage, payerOf(turn), turn.reservationId, due);
      return { writer, batch };
    });
    if (closed === null) return;
    closed.writer.publishEnd(closed.batch);
    this.streams.releaseLease(closed.writer);
    this.logger.warn({ turn: id }, 'An interrupted turn was ended');
  }

  private async priced(turn: TurnRow, used: ModelUsage): Promise<StepUsage> {
    const price = await this.catalog.priceOf(turn.spaceId, turn.model);
    return { ...used, callId: uuidV7(), cost: price && costOf(used, price), estimated: true };
  }

  /** What the segment used: the calls that were charged since it was opened, and the interrupted one. */
  private async usedIn(
    tx: Sql,
    turn: TurnRow,
    streamId: string,
    due: StepUsage | null,
  ): Promise<UsageFigures> {
    const before = (await loadUsageBefore(tx, streamId)) ?? { promptTokens: 0, completionTokens: 0, cost: 0 };
    const used = new UsageTotal();
    used.promptTokens = turn.promptTokens - before.promptTokens;
    used.completionTokens = turn.completionTokens - before.completionTokens;
    used.cost = turn.cost - before.cost;
    used.estimated = turn.estimated;
    if (due) used.add(due);
    return used;
  }
}
