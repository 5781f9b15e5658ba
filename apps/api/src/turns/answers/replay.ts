import { splitDelta, encodeFrame, productEvent, type Draft } from '../../streams/frame.ts';
import type { Completed, SegmentHistory } from '../records/segment-history.store.ts';
import type { TurnRow } from '../records/turn.ts';
import { completedOf } from './closing-frames.ts';
import { toKnowledgeEvidence } from './knowledge-evidence.ts';
import { sessionStarted } from './opening-frame.ts';

/** The frames of an ended segment told from the history, where those that were sent are no longer kept. */
export function replayOf(
  turn: TurnRow,
  { segment, steps, searches, completed, interaction }: SegmentHistory,
): Buffer {
  const said = steps.filter((step) => step.kind === 'model' || step.kind === 'partial');
  const text = said.map(({ content }) => content.text).join('');
  const drafts: Draft[] = [
    productEvent('session.started', sessionStarted({ ...turn, segment, requestId: null, resumed: false })),
    ...searches.map((search) => productEvent('knowledge.evidence', toKnowledgeEvidence(search))),
    ...(text === '' ? [] : splitDelta(text).map((delta) => productEvent('content.delta', { delta }))),
    ...(interaction ? [productEvent('agent.input.required', { interaction })] : []),
    productEvent('response.completed', completed ?? guessed(turn, said.at(-1)?.id ?? null)),
  ];
  drafts.push(productEvent('stream.ended', { lastSeq: drafts.length + 1 }));
  const endedAt = (turn.finishedAt ?? turn.createdAt).getTime();
  return Buffer.from(drafts.map((draft, i) => encodeFrame(segment, i + 1, draft, endedAt)).join(''));
}

/** How the segment of an older version ended, as far as the turn tells. */
function guessed(turn: TurnRow, messageId: string | null): Completed {
  const finishReason =
    turn.status === 'CANCELLED'
      ? 'cancelled'
      : turn.status === 'INPUT_REQUIRED'
        ? 'input_required'
        : 'completed';
  return completedOf(turn, { messageId, usage: turn, executionMs: turn.executionMs, finishReason });
}
