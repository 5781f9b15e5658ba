import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ErrorCode, FinishReason, TokenUsage } from '@platform/contracts';
import type { DataSource } from 'typeorm';
import { failpoint } from '../infra/failpoints.ts';
import { ClaimLost, type StreamWriter } from '../streams/stream-writer.ts';
import type { ActiveTurn } from './active-turn.ts';
import type { ItemContent } from './items.ts';
import { endTurn, insertItem, type TurnFailure } from './turn-store.ts';

const RETRY_MS = 250;
const logger = new Logger('TurnClosing');

type LastItem = ItemContent & { tokens: number };

/** How a segment ends, with the step it leaves. */
export type Outcome =
  | { status: 'COMPLETED' | 'CANCELLED'; finishReason: FinishReason; item: LastItem }
  | { status: 'FAILED'; failure: TurnFailure; item: LastItem };

/**
 * Ends a turn: its last step, its usage, its status and the closing frames in one transaction, fenced by the claim.
 * While that transaction fails it is tried again and readers are told; rejects only where the claim is lost.
 */
export async function closeTurn(database: DataSource, turn: ActiveTurn, outcome: Outcome): Promise<void> {
  const { writer } = turn;
  for (let attempt = 1; ; attempt++) {
    try {
      await writer.flushed();
      const batch = await database.transaction(async (tx) => {
        const keep = outcome.item.kind !== 'partial' || outcome.item.content.text !== '';
        const messageId = keep ? await insertItem(tx, turn.id, turn.nextItem, outcome.item) : null;
        const { promptTokens, completionTokens, cost, estimated } = turn.usage;
        const executionMs = turn.executionMs;
        const used = { promptTokens, completionTokens, cost, estimated, executionMs };
        const error = outcome.status === 'FAILED' ? outcome.failure : null;
        if (!(await endTurn(tx, turn.id, { status: outcome.status, error, ...used }))) throw new ClaimLost();
        failpoint('turns.close');
        return writer.end(tx, (closing) => {
          sayEnd(closing, turn, outcome, messageId, executionMs);
        });
      });
      writer.ended(batch);
      return;
    } catch (error) {
      if (error instanceof ClaimLost) writer.lose();
      if (writer.signal.aborted) throw error;
      logger.warn({ err: error, turn: turn.id, attempt }, 'A turn could not be closed; trying again');
      writer.emit('turn.persist_pending', { turnId: turn.clientTurnId, attempt });
      await delay(Math.min(RETRY_MS * attempt, 2_000));
    }
  }
}

function sayEnd(
  writer: StreamWriter,
  turn: ActiveTurn,
  outcome: Outcome,
  messageId: string | null,
  executionMs: number,
): void {
  if (outcome.status === 'FAILED') {
    sayFailure(writer, { ...outcome.failure, turnId: turn.clientTurnId, requestId: turn.requestId });
    return;
  }
  const usage = wireUsage(turn.usage);
  writer.emit('response.completed', {
    session_id: turn.session.name,
    turnId: turn.clientTurnId,
    messageId,
    tokens_used: usage.total_tokens,
    execution_time: seconds(executionMs),
    token_usage: usage,
    finishReason: outcome.finishReason,
  });
  writer.frame('lifecycle', { event: outcome.status === 'COMPLETED' ? 'completed' : 'interrupted' });
}

/** The two frames before the last of a stream that failed. */
export function sayFailure(
  writer: StreamWriter,
  failure: TurnFailure & { turnId: string; requestId: string | null },
): void {
  const { code, message, turnId, requestId, retryable, retryAfter } = failure;
  writer.emit('error.occurred', {
    code: code as ErrorCode | 'INTERRUPTED',
    message,
    turnId,
    requestId,
    retryable,
    ...(retryAfter !== undefined && { retryAfter }),
  });
  writer.frame('lifecycle', { event: 'failed', error: message });
}

/** Usage as it travels: total = prompt + completion, the cost in the model's currency. */
export function wireUsage(usage: {
  promptTokens: number;
  completionTokens: number;
  cost: number;
  estimated: boolean;
}): TokenUsage {
  const { promptTokens, completionTokens, cost, estimated } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost,
    ...(estimated && { estimated: true as const }),
  };
}

/** Milliseconds as seconds, to the millisecond. */
export function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
