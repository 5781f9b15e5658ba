import { Injectable } from '@nestjs/common';
import type { CompactionResult, ContextStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { render } from '../../agents/template.ts';
import { Database } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { conflict, notFound, unavailable } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { CatalogService, type ResolvedModel } from '../../models/catalog/catalog.service.ts';
import { ProviderError } from '../../models/port/model-provider.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { expectedSummaryTokens, planManual, tokensAfter } from './compaction.ts';
import {
  compactionFigures,
  contextSession,
  undoCompaction,
  type ContextSession,
} from './compaction.store.ts';
import { CompactorService, type BegunCompaction, type Compaction } from './compactor.service.ts';
import { lastPosition, messageCount, usedTokens, type Context } from './context-state.ts';
import { loadContext } from './context.store.ts';

/** Identifies a session by its name, user, and agent. */
export interface ContextScope {
  agent: InvocableAgent;
  userId: string;
  sessionId: string;
}

/** A session that has a context, with its size. */
interface Found {
  session: ContextSession;
  context: Context;
  used: { tokens: number; estimated: boolean };
}

/** The operations of users on the context of a session. */
@Injectable()
export class ContextService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogService,
    private readonly compactor: CompactorService,
  ) {}

  async status(scope: ContextScope): Promise<ContextStatus> {
    const found = await this.find(this.database, scope, await this.windowOf(scope));
    const { contextWindow } = await this.resolve(scope);
    const { count, status } = await compactionFigures(this.database, found.session.ref);
    return {
      sessionId: scope.sessionId,
      usedTokens: found.used.tokens,
      remainingTokens: Math.max(0, contextWindow - found.used.tokens),
      maxTokens: contextWindow,
      estimated: found.used.estimated,
      compactionCount: count,
      summaryStatus: status,
      messageCount: messageCount(found.context.steps),
    };
  }

  /** Estimates the result of `compact` without calling the model. */
  async tryCompact(scope: ContextScope): Promise<CompactionResult> {
    const { context, used } = await this.findIdle(this.database, scope, await this.windowOf(scope));
    const model = await this.resolve(scope);
    const plan = planManual(context);
    const after = plan
      ? tokensAfter(context, plan, used.tokens, expectedSummaryTokens(plan, model))
      : used.tokens;
    return this.answer(scope, false, used.tokens, after);
  }

  /**
   * Summarizes the context before the last turn. The model is called outside of transactions: a turn that starts in the
   * meantime continues with the old context, and the next one has the summary.
   */
  async compact(scope: ContextScope): Promise<CompactionResult> {
    await this.findIdle(this.database, scope, await this.windowOf(scope));
    const model = await this.resolve(scope);
    const begun = await this.database.transaction((tx) => this.begin(tx, scope, model), {
      committed: async (made) => typeof made === 'number' || this.compactor.hasBegun(made),
    });
    if (typeof begun === 'number') return this.answer(scope, false, begun, begun);

    const made = await this.compactor.run(begun).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
      throw unavailable(`The summary could not be made: ${error.message}`, {
        cause: error,
        retryAfter: error.retryAfter,
      });
    });
    if (made === null) throw conflict(`The context of session ${scope.sessionId} has changed meanwhile`);
    const { tokensBefore } = begun.compaction;
    return this.answer(scope, true, tokensBefore, made.tokensAfter);
  }

  async undo(scope: ContextScope): Promise<ContextStatus> {
    const contextWindow = await this.windowOf(scope);
    await this.database.transaction(async (tx) => {
      const { session, context, used } = await this.findIdle(tx, scope, contextWindow, true);
      const at = lastPosition(context.steps) ?? context.summary?.mark ?? { turn: 0, n: 0 };
      const sizeOf = (before: number, after: number) => Math.max(0, used.tokens + before - after);
      if (!(await undoCompaction(tx, session.ref, at, sizeOf))) {
        throw conflict(`Session ${scope.sessionId} has no summary that could be taken back`);
      }
    });
    return this.status(scope);
  }

  /** Stores the compaction with its reservation. Returns the size of the context if there is nothing to summarize. */
  private async begin(
    tx: EntityManager,
    scope: ContextScope,
    model: ResolvedModel,
  ): Promise<BegunCompaction | number> {
    const { agent, userId } = scope;
    const { session, context, used } = await this.findIdle(tx, scope, model.contextWindow, true);
    const plan = planManual(context);
    const at = lastPosition(context.steps);
    if (plan === null || at === null) return used.tokens;
    const payer = { spaceId: agent.spaceId, userId, agentId: agent.id, turnId: null, causationRunId: null };
    const compaction: Compaction = {
      callId: uuidV7(),
      sessionRef: session.ref,
      trigger: 'manual',
      context,
      plan,
      tokensBefore: used.tokens,
      at,
      model,
      payer,
    };
    return this.compactor.begin(tx, compaction, { reserves: true });
  }

  /** Throws NOT_FOUND if the caller has no such session, or if it has no messages. */
  private async find(
    sql: Sql,
    { agent, userId, sessionId }: ContextScope,
    contextWindow: number,
    locked = false,
  ): Promise<Found> {
    const owner = { agentId: agent.id, userId };
    const session = isText(sessionId) ? await contextSession(sql, owner, sessionId, { locked }) : null;
    if (session === null) throw notFound(`Session ${sessionId} does not exist`);
    const { context } = await loadContext(sql, session.ref, contextWindow);
    if (context.steps.length === 0 && context.summary === null) {
      throw notFound(`Session ${sessionId} has no message yet`);
    }
    const systemTokens = await countTokens(render(agent.systemPrompt, agent.variables, {}));
    return { session, context, used: usedTokens(context, systemTokens) };
  }

  /** Like `find`, but throws CONFLICT if a turn runs or a question is pending. */
  private async findIdle(
    sql: Sql,
    scope: ContextScope,
    contextWindow: number,
    locked = false,
  ): Promise<Found> {
    const found = await this.find(sql, scope, contextWindow, locked);
    const { runningTurn, pending, compacting } = found.session;
    const { sessionId } = scope;
    if (runningTurn !== null) throw conflict(`Session ${sessionId} is busy with turn ${runningTurn}`);
    if (pending) throw conflict(`A question of session ${sessionId} waits for its answer`);
    if (compacting) throw conflict(`A summary of session ${sessionId} is being made`);
    return found;
  }

  /** Checked before the transaction: many callers that wait for one session would use up the connections. */
  private async windowOf({ agent }: ContextScope): Promise<number> {
    return (await this.catalog.contextWindowOf(agent.spaceId, agent.model)) ?? 0;
  }

  private resolve({ agent }: ContextScope): Promise<ResolvedModel> {
    return this.catalog.resolve(agent.spaceId, agent.model);
  }

  private async answer(
    scope: ContextScope,
    compacted: boolean,
    before: number,
    after: number,
  ): Promise<CompactionResult> {
    const status = await this.status(scope);
    return { ...status, compacted, tokensBefore: before, tokensAfter: after };
  }
}
