import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ResolvedModel } from '../models/catalogue.service.ts';
import { ProviderError, type ModelUsage } from '../models/model-provider.ts';
import { costOf } from '../models/price.ts';
import { countTokens, estimatePrompt } from '../models/tokens.ts';
import { UsageService } from '../usage/usage.service.ts';
import { summaryBlock, summaryRequest, tokensAfter, type CompactionPlan } from './compaction.ts';
import { endCompaction, finishCompaction, insertCompaction } from './compaction-store.ts';
import type { Context, Position, Summary } from './context-state.ts';
import type { Sql } from '../infra/database/rows.ts';

/** A summary is given up after so long. */
const TIMEOUT_MS = 120_000;
/** Until a compaction whose process died counts as failed, and its hold as abandoned. */
export const COMPACTION_LEASE_MS = TIMEOUT_MS + 30_000;

/** Everything that a summary is made of. */
export interface Compaction {
  sessionRef: string;
  trigger: 'manual' | 'automatic';
  context: Context;
  plan: CompactionPlan;
  tokensBefore: number;
  /** The last step of the context. */
  at: Position;
  model: ResolvedModel;
  payer: { spaceId: string; userId: string; agentId: string; turnId: string | null };
}

export interface Compacted {
  summary: Summary;
  tokensAfter: number;
}

/** Makes summaries. The history stays as it is: a compaction is a row beside it. */
@Injectable()
export class Compactor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Compactor.name);
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly database: DataSource,
    private readonly usage: UsageService,
  ) {}

  /** Stores that a summary is being made; answers the id for `run`. */
  begin(sql: Sql, { sessionRef, trigger, plan, at, tokensBefore, model }: Compaction): Promise<string> {
    const { mark } = plan;
    const row = { sessionRef, trigger, mark, at, tokensBefore, model: model.name };
    return insertCompaction(sql, { ...row, leaseMs: COMPACTION_LEASE_MS });
  }

  /**
   * Asks the model for the summary, then stores and charges it. Null where another one came first. Throws what the
   * provider throws, and then nothing has changed but the compaction's row, which has failed.
   */
  run(
    id: string,
    compaction: Compaction,
    holdId: string | null,
    signal: AbortSignal = this.closing.signal,
  ): Promise<Compacted | null> {
    const run = this.compact(id, compaction, holdId, signal).finally(() => this.running.delete(run));
    this.running.add(run);
    return run;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort(new ProviderError('unavailable', 'The service is shutting down; try again'));
    await Promise.allSettled(this.running);
  }

  private async compact(
    id: string,
    compaction: Compaction,
    holdId: string | null,
    signal: AbortSignal,
  ): Promise<Compacted | null> {
    try {
      const said = await this.summarise(compaction, signal);
      return await this.store(id, compaction, holdId, said);
    } catch (error) {
      await this.giveUp(id, holdId, signal.aborted ? 'ABANDONED' : 'FAILED');
      throw error;
    }
  }

  private async summarise(
    { context, plan, model }: Compaction,
    signal: AbortSignal,
  ): Promise<{ text: string; usage: ModelUsage; estimated: boolean }> {
    const request = summaryRequest(context, plan, model, model.upstreamModel);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let text = '';
    let usage: ModelUsage | null = null;
    try {
      for await (const delta of model.provider.stream(request, AbortSignal.any([timeout, signal]))) {
        if (delta.type === 'text') text += delta.text;
        if (delta.type === 'usage') usage = delta;
      }
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new ProviderError('timeout', 'The model took too long to write the summary', { cause: error });
    }
    text = text.trim();
    if (text === '') throw new ProviderError('bad-answer', 'The model wrote no summary');
    if (usage) return { text, usage, estimated: false };
    const promptTokens = await estimatePrompt(request.messages);
    const completionTokens = await countTokens(text);
    return {
      text,
      usage: { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0 },
      estimated: true,
    };
  }

  private async store(
    id: string,
    { sessionRef, context, plan, tokensBefore, model, payer }: Compaction,
    holdId: string | null,
    { text, usage, estimated }: { text: string; usage: ModelUsage; estimated: boolean },
  ): Promise<Compacted | null> {
    const tokens = await countTokens(summaryBlock(text));
    const after = tokensAfter(context, plan, tokensBefore, tokens);
    const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
    const used = { promptTokens, completionTokens, cost: costOf(usage, model.price), estimated };
    const ready = await this.database.transaction(async (tx) => {
      const made = { text, tokens, tokensAfter: after, ...used };
      const isReady = await finishCompaction(tx, sessionRef, id, context.summary?.id ?? null, made);
      const charge = {
        ...payer,
        source: 'compaction' as const,
        model: model.name,
        cachedTokens,
        reasoningTokens,
      };
      // As with turns: a hold that was taken for abandoned does not make the call free.
      if (!(await this.usage.settle(tx, holdId, { ...charge, ...used })))
        await this.usage.charge(tx, { ...charge, ...used });
      return isReady;
    });
    return ready ? { summary: { id, text, tokens, mark: plan.mark }, tokensAfter: after } : null;
  }

  private async giveUp(id: string, holdId: string | null, status: 'FAILED' | 'ABANDONED'): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await endCompaction(tx, id, status);
        if (holdId !== null) await this.usage.release(tx, holdId);
      });
    } catch (error) {
      this.logger.warn(
        { err: error, compaction: id },
        'A failed compaction could not be ended; its lease will lapse',
      );
    }
  }
}
