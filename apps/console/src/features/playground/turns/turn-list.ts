import type { ContentItem, Interaction, Message, MessageContent, TurnStatus } from '@platform/contracts';
import type { LiveTurn } from './live-turn.ts';

/** A user message and its answer, from the history, from a stream of this page, or from both. */
export interface TurnView {
  turnId: string;
  user: (MessageContent | ContentItem)[];
  answer: string;
  status: TurnStatus;
  live: LiveTurn | null;
  /** The question with which the turn ended. */
  interaction: Interaction | null;
}

/** Returns the turns of a session, oldest first. Streams of this page take precedence over the history. */
export function listTurns(
  messages: readonly Message[],
  live: readonly LiveTurn[],
  pending: readonly Interaction[] = [],
): TurnView[] {
  const turns = new Map<string, TurnView>();
  for (const message of [...messages].sort(
    (a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id),
  )) {
    const turn = turns.get(message.turnId) ?? createEmptyTurn(message.turnId);
    turns.set(message.turnId, {
      ...turn,
      status: message.turnStatus,
      user: message.role === 'user' ? [...turn.user, ...message.contents] : turn.user,
      answer: message.role === 'assistant' ? joined(turn.answer, getText(message.contents)) : turn.answer,
    });
  }
  for (const interaction of pending) {
    const known = turns.get(interaction.turnId);
    if (known) turns.set(known.turnId, { ...known, interaction });
  }
  for (const turn of live) {
    const known = turns.get(turn.turnId) ?? createEmptyTurn(turn.turnId);
    turns.set(turn.turnId, {
      ...known,
      live: turn,
      user: turn.contents ?? known.user,
      answer: turn.text === '' && turn.state === 'ended' ? known.answer : turn.text,
      status: toTurnStatus(turn),
      interaction: turn.interaction,
    });
  }
  return [...turns.values()];
}

/** Returns the plain text of a message. */
export function getText(contents: readonly (MessageContent | ContentItem)[]): string {
  return contents.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n\n');
}

function createEmptyTurn(turnId: string): TurnView {
  return { turnId, user: [], answer: '', status: 'RUNNING', live: null, interaction: null };
}

function toTurnStatus(turn: LiveTurn): TurnStatus {
  if (turn.state === 'running') return 'RUNNING';
  if (turn.failure !== null) return 'FAILED';
  const reason = turn.completed?.finishReason;
  if (reason === 'input_required') return 'INPUT_REQUIRED';
  return reason === 'cancelled' ? 'CANCELLED' : 'COMPLETED';
}

const joined = (before: string, next: string): string => (before === '' ? next : `${before}\n\n${next}`);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
