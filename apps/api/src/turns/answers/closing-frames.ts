import type { ErrorCode, FinishReason } from '@platform/contracts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import type { Completed } from '../records/segment-history.store.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';
import { formatUsage, seconds, type UsageFigures } from './token-usage.ts';

/** How a segment that did not fail ends, as its last frames tell it. */
export function completedOf(
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

/** The closing frames of a cancelled turn that nobody runs: it waited, or its process died. */
export function writeCancelledFrames(writer: StreamWriter, completed: Completed): void {
  writer.writeEvent('response.completed', completed);
  writer.writeFrame('lifecycle', { event: 'interrupted' });
}

/** The two frames before the last of a stream that failed. */
export function writeFailureFrames(
  writer: StreamWriter,
  failure: TurnFailure & { turnId: string; requestId: string | null },
): void {
  const { code, message, turnId, requestId, retryable, retryAfter } = failure;
  writer.writeEvent('error.occurred', {
    code: code as ErrorCode | 'INTERRUPTED',
    message,
    turnId,
    requestId,
    retryable,
    ...(retryAfter !== undefined && { retryAfter }),
  });
  writer.writeFrame('lifecycle', { event: 'failed', error: message });
}
