import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import type { ResolvedModel } from '../../models/catalog/catalog.service.ts';
import { ProviderError } from '../../models/port/model-provider.ts';
import { costOf } from '../../models/pricing/price.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { tokensToReserve, type Charge } from '../../usage/charge.ts';
import { UsageService } from '../../usage/usage.service.ts';
import type { Payer } from '../records/payer.ts';
import { summaryBlock, summaryLimit, tokensAfter, type CompactionPlan } from './compaction.ts';
import {
  endCompaction,
  finishCompaction,
  insertCompaction,
  isCompactionStored,
  type CompactionUsage,
} from './compaction.store.ts';
import { sumTokens, type Context, type Position, type Summary } from './context-state.ts';
import { SUMMARY_TIMEOUT_MS, SummaryCall, type SummaryUsage } from './summary-call.ts';

/** How long to retry storing the end of a compaction while the database is unavailable. */
const RETRY_MS = 10_000;
/** After this time a compaction whose process died counts as failed, and its reservation as abandoned. */
const COMPACTION_LEASE_MS = SUMMARY_TIMEOUT_MS + 30_000;

/** The input of a summary. */
export interface Compaction {
  /** The id of the model call in the ledger, decided before the transaction: a repeated one charges no second call. */
  callId: string;
  sessionRef: string;
  trigger: 'manual' | 'automatic';
  context: Context;
  plan: CompactionPlan;
  tokensBefore: number;
  /** The last step of the context. */
  at: Position;
  model: ResolvedModel;
  payer: Payer;
}

/** A compaction that is stored as RUNNING. */
export interface BegunCompaction {
  id: string;
  compaction: Compaction;
}

export interface Compacted {
  summary: Summary;
  tokensAfter: number;
}

/** Creates summaries. The history does not change: a compaction is a row of its own. */
@Injectable()
export class CompactorService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(CompactorService.name);
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly usage: UsageService,
  ) {}

  /**
   * Stores that a compaction has started, and what to charge if its process dies. Throws INSUFFICIENT_TOKENS if it
   * `reserves` and the balance is used up. Comes last in its transaction.
   */
  async begin(
    tx: EntityManager,
    compaction: Compaction,
    { reserves }: { reserves: boolean },
  ): Promise<BegunCompaction> {
    const { callId, sessionRef, trigger, plan, at, tokensBefore, model, payer } = compaction;
    const { mark } = plan;
    const leaseMs = COMPACTION_LEASE_MS;
    const row = { sessionRef, trigger, mark, at, tokensBefore, model: model.name, leaseMs };
    const id = await insertCompaction(tx, row);
    const promptTokens = sumTokens(plan.head);
    const prompt = { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
    const call = {
      id: callId,
      spaceId: payer.spaceId,
      userId: payer.userId,
      source: 'compaction' as const,
      reference: id,
      leaseMs,
      chargeOnExpiry: chargeOf(compaction, { usage: prompt, estimated: true }),
    };
    const tokens = tokensToReserve(promptTokens, summaryLimit(model));
    if (!reserves || (await this.usage.reserve(tx, { ...call, tokens })) === null)
      await this.usage.registerCalls(tx, [call]);
    return { id, compaction };
  }

  /** Whether the transaction of `begin` has committed. */
  hasBegun({ id }: BegunCompaction): Promise<boolean> {
    return isCompactionStored(this.database, id);
  }

  /**
   * Requests the summary from the model, then stores and charges it. Returns null if another one was stored first. If
   * the provider fails, its error is thrown, the compaction has failed, nothing else has changed, and the usage so far
   * is charged.
   */
  run(begun: BegunCompaction, signal: AbortSignal = this.closing.signal): Promise<Compacted | null> {
    const run = this.compact(begun, signal).finally(() => this.running.delete(run));
    this.running.add(run);
    return run;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort(new ProviderError('unavailable', 'The service is shutting down; try again'));
    await Promise.allSettled(this.running);
  }

  private async compact(begun: BegunCompaction, signal: AbortSignal): Promise<Compacted | null> {
    const call = new SummaryCall(begun.compaction);
    try {
      await call.run(signal);
      return await this.store(begun, call);
    } catch (error) {
      await this.giveUp(begun, call, signal.aborted ? 'ABANDONED' : 'FAILED');
      throw error;
    }
  }

  private async store(begun: BegunCompaction, call: SummaryCall): Promise<Compacted | null> {
    const { id, compaction } = begun;
    const { callId, sessionRef, context, plan, tokensBefore } = compaction;
    const text = call.summary;
    const tokens = await countTokens(summaryBlock(text));
    const after = tokensAfter(context, plan, tokensBefore, tokens);
    const charge = chargeOf(compaction, await call.used());
    const made = { ...figuresOf(charge), text, tokens, tokensAfter: after };
    const finish = () =>
      this.database.transaction(async (tx) => {
        const finished = await finishCompaction(tx, sessionRef, id, context.summary?.id ?? null, made);
        await this.usage.charge(tx, callId, charge);
        return finished;
      });
    const isReady = await whileUnavailable(finish, undefined, RETRY_MS);
    return isReady ? { summary: { id, text, tokens, mark: plan.mark }, tokensAfter: after } : null;
  }

  private async giveUp(
    { id, compaction }: BegunCompaction,
    call: SummaryCall,
    status: 'FAILED' | 'ABANDONED',
  ): Promise<void> {
    const { callId } = compaction;
    try {
      const charge = call.began ? chargeOf(compaction, await call.used()) : null;
      const end = () =>
        this.database.transaction(async (tx) => {
          await endCompaction(tx, id, status, charge && figuresOf(charge));
          if (charge) await this.usage.charge(tx, callId, charge);
          else await this.usage.release(tx, callId);
        });
      await whileUnavailable(end, undefined, RETRY_MS);
    } catch (error) {
      this.logger.warn(
        { err: error, compaction: id },
        'A failed compaction could not be ended; its lease will lapse',
      );
    }
  }
}

function chargeOf({ payer, model }: Compaction, { usage, estimated }: SummaryUsage): Charge {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
  const tokens = { promptTokens, completionTokens, cachedTokens, reasoningTokens };
  const cost = costOf(usage, model.price);
  const { spaceId, userId, agentId, turnId, causationRunId } = payer;
  const paid = { spaceId, userId, agentId, turnId, causationRunId };
  return { ...paid, source: 'compaction', model: model.name, ...tokens, cost, estimated };
}

function figuresOf({ promptTokens, completionTokens, cost, estimated }: Charge): CompactionUsage {
  return { promptTokens, completionTokens, cost: cost ?? 0, estimated };
}
