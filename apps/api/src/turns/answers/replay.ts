import { splitDelta, encodeFrame, productEvent, type Draft } from '../../streams/frame.ts';
import type { Completed, SegmentHistory } from '../records/segment-history.store.ts';
import type { TurnRow } from '../records/turn.ts';
import { toCompleted, toFailed } from './closing-frames.ts';
import { toKnowledgeEvidence } from './knowledge-evidence.ts';
import { sessionStarted } from './opening-frame.ts';

/** Builds the frames of an ended segment from the history, for when those that were sent are no longer stored. */
export function buildReplay(
  turn: TurnRow,
  { segment, steps, searches, completed, interaction }: SegmentHistory,
): Buffer {
  const modelSteps = steps.filter((step) => step.kind === 'model' || step.kind === 'partial');
  const text = modelSteps.map(({ content }) => content.text).join('');
  const drafts: Draft[] = [
    productEvent('session.started', sessionStarted({ ...turn, segment, requestId: null, resumed: false })),
    ...searches.map((search) => productEvent('knowledge.evidence', toKnowledgeEvidence(search))),
    ...(text === '' ? [] : splitDelta(text).map((delta) => productEvent('content.delta', { delta }))),
    ...(interaction ? [productEvent('agent.input.required', { interaction })] : []),
    endOf(turn, completed, modelSteps.at(-1)?.id ?? null),
  ];
  drafts.push(productEvent('stream.ended', { lastSeq: drafts.length + 1 }));
  const endedAt = (turn.finishedAt ?? turn.createdAt).getTime();
  return Buffer.from(drafts.map((draft, i) => encodeFrame(segment, i + 1, draft, endedAt)).join(''));
}

/** Returns the product event before the last one. A segment that failed has stored none. */
function endOf(turn: TurnRow, completed: Completed | null, messageId: string | null): Draft {
  if (completed === null && turn.status === 'FAILED' && turn.error !== null)
    return productEvent('error.occurred', toFailed({ ...turn.error, turnId: turn.turnId, requestId: null }));
  return productEvent('response.completed', completed ?? guessCompleted(turn, messageId));
}

/** Returns how a segment of an earlier version ended, as far as its turn shows. */
function guessCompleted(turn: TurnRow, messageId: string | null): Completed {
  const finishReason =
    turn.status === 'CANCELLED'
      ? 'cancelled'
      : turn.status === 'INPUT_REQUIRED'
        ? 'input_required'
        : 'completed';
  return toCompleted(turn, { messageId, usage: turn, executionMs: turn.executionMs, finishReason });
}
