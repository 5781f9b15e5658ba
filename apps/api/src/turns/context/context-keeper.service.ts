import { Injectable } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { ProviderError } from '../../models/port/model-provider.ts';
import type { RunningTurn } from './running-turn.ts';
import { isFull, planAutomatic } from './compaction.ts';
import { CompactorService } from './compactor.service.ts';
import { EMPTY_CONTEXT, lastPosition, usedTokens, withTurn, type Context } from './context-state.ts';
import { loadContext } from './context.store.ts';

/** The context of a turn while it runs. */
export interface OpenContext {
  /** The context before the turn, with the current summary. */
  before: Context;
  /** Cleared when a summary fails, so that it is not retried in this turn. */
  compactable: boolean;
  systemTokens: number;
}

/** The input of a model call. */
export interface FittedContext {
  context: Context;
  usedTokens: number;
}

/** Keeps the context of a running turn within the window of its model. */
@Injectable()
export class ContextKeeperService {
  constructor(
    private readonly database: Database,
    private readonly compactor: CompactorService,
  ) {}

  async open(turn: RunningTurn, systemTokens: number): Promise<OpenContext> {
    return { before: await this.load(turn), compactable: true, systemTokens };
  }

  /**
   * Returns the context of the next call, after compacting it if it fills the window. Throws VALIDATION_ERROR if the
   * call does not fit, or the error of the provider if it does not fit because the summary failed.
   */
  async fit(turn: RunningTurn, open: OpenContext, outputTokens: number): Promise<FittedContext> {
    const { model } = turn;
    const { contextWindow } = model;
    let fitted = present(turn, open);
    let failure: ProviderError | null = null;
    if (open.compactable && isFull(fitted.usedTokens, outputTokens, model)) {
      try {
        if (await this.compact(turn, open, fitted, outputTokens)) {
          fitted = present(turn, open);
          showContext(turn, fitted.usedTokens, true);
        }
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        open.compactable = false;
        failure = error;
      }
    }
    if (fitted.usedTokens + outputTokens <= contextWindow) return fitted;
    if (failure) throw failure;
    throw new AppError(
      'VALIDATION_ERROR',
      `The conversation needs ${fitted.usedTokens} tokens and leaves no room for ${outputTokens} of output in the ${contextWindow} of ${model.name}`,
    );
  }

  /** Returns whether the context has changed. */
  private async compact(
    turn: RunningTurn,
    open: OpenContext,
    { context, usedTokens: tokensBefore }: FittedContext,
    outputTokens: number,
  ): Promise<boolean> {
    const { model, payer } = turn;
    const plan = planAutomatic(context, tokensBefore, outputTokens, turn.n, model);
    const at = lastPosition(context.steps);
    if (plan === null || at === null) return false;
    const compaction = {
      callId: uuidV7(),
      sessionRef: turn.session.ref,
      trigger: 'automatic' as const,
      context,
      plan,
      tokensBefore,
      at,
      model,
      payer,
    };
    // The turn has a reservation for the next call; a second one could end the turn in the middle.
    const begin = () =>
      this.database.transaction((tx) => this.compactor.begin(tx, compaction, { reserves: false }), {
        committed: (made) => this.compactor.hasBegun(made),
      });
    const begun = await whileUnavailable(begin, turn.signal);
    const made = await this.compactor.run(begun, turn.signal);
    // A manual compaction was stored in the meantime, and replaces this one.
    open.before = made
      ? { ...open.before, summary: made.summary, baseline: { ...at, tokens: made.tokensAfter } }
      : await this.load(turn);
    return true;
  }

  private async load(turn: RunningTurn): Promise<Context> {
    if (turn.n === 1 && turn.origin === 'start') return EMPTY_CONTEXT;
    const { context, tail } = await whileUnavailable(
      () => loadContext(this.database, turn.session.ref, turn.model.contextWindow, turn.n),
      turn.signal,
    );
    turn.unfolded = tail;
    return context;
  }
}

function present(turn: RunningTurn, { before, systemTokens }: OpenContext): FittedContext {
  const context = withTurn(before, turn);
  return { context, usedTokens: usedTokens(context, systemTokens).tokens };
}

/** Reports to the readers of a turn how full the window is. */
export function showContext(turn: RunningTurn, usedTokens: number, estimated: boolean): void {
  const maxTokens = turn.model.contextWindow;
  const remainingTokens = Math.max(0, maxTokens - usedTokens);
  turn.writer.writeEvent('context.usage', { usedTokens, remainingTokens, maxTokens, estimated });
}
