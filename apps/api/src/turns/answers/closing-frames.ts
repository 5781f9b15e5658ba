import type { ErrorCode, FinishReason, ProductEventFields } from '@platform/contracts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import type { Completed } from '../records/segment-history.store.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';
import { formatUsage, seconds, type UsageFigures } from './token-usage.ts';

/** Returns the product event that ends a segment that did not fail. */
export function toCompleted(
  turn: Pick<TurnRow, 'sessionName' | 'turnId'>,
  {
    messageId,
    usage,
    executionMs,
    finishReason,
  }: { messageId: string | null; usage: UsageFigures; executionMs: number; finishReason: FinishReason },
): Completed {
  const token_usage = formatUsage(usage);
  return {
    session_id: turn.sessionName,
    turnId: turn.turnId,
    messageId,
    tokens_used: token_usage.total_tokens,
    execution_time: seconds(executionMs),
    token_usage,
    finishReason,
  };
}

/** Writes the closing frames of a canceled turn that no process runs: it was waiting, or its process died. */
export function writeCanceledFrames(writer: StreamWriter, completed: Completed): void {
  writer.writeEvent('response.completed', completed);
  writer.writeFrame('lifecycle', { event: 'interrupted' });
}

/** Writes the two frames before the last one of a stream that failed. */
export function writeFailureFrames(
  writer: StreamWriter,
  failure: TurnFailure & { turnId: string; requestId: string | null },
): void {
  writer.writeEvent('error.occurred', toFailed(failure));
  writer.writeFrame('lifecycle', { event: 'failed', error: failure.message });
}

/** Returns the product event that ends a segment that failed. */
export function toFailed({
  code,
  message,
  turnId,
  requestId,
  retryable,
  retryAfter,
}: TurnFailure & { turnId: string; requestId: string | null }): ProductEventFields['error.occurred'] {
  return {
    code: code as ErrorCode | 'INTERRUPTED',
    message,
    turnId,
    requestId,
    retryable,
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
