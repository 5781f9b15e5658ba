import { deltaPieces, encodeFrame, productEvent, type Draft } from '../streams/frame.ts';
import type { Item } from './items.ts';
import { seconds, wireUsage } from './turn-closing.ts';
import type { TurnRow } from './turn-store.ts';

/** The frames of an ended turn told from its steps, where those that were sent are no longer kept. */
export function replayOf(turn: TurnRow, segment: number, items: Item[]): Buffer {
  const said = items.filter((item) => item.kind === 'model' || item.kind === 'partial');
  const text = said.map(({ content }) => content.text).join('');
  const usage = wireUsage(turn);
  const drafts: Draft[] = [
    productEvent('session.started', {
      sessionId: turn.sessionName,
      turnId: turn.clientTurnId,
      segment,
      agentId: turn.agentId,
      model: turn.model,
      requestId: null,
      resumed: false,
    }),
    ...(text === '' ? [] : deltaPieces(text).map((delta) => productEvent('content.delta', { delta }))),
    productEvent('response.completed', {
      session_id: turn.sessionName,
      turnId: turn.clientTurnId,
      messageId: said.at(-1)?.id ?? null,
      tokens_used: usage.total_tokens,
      execution_time: seconds(turn.executionMs),
      token_usage: usage,
      finishReason: turn.status === 'CANCELLED' ? 'cancelled' : 'completed',
    }),
  ];
  drafts.push(productEvent('stream.ended', { lastSeq: drafts.length + 1 }));
  const endedAt = (turn.finishedAt ?? turn.createdAt).getTime();
  return Buffer.from(drafts.map((draft, i) => encodeFrame(segment, i + 1, draft, endedAt)).join(''));
}
