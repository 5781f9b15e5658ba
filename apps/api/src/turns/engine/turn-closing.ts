import type { FinishReason } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import type { RunQuestionsService } from '../../tasks/inbox/run-questions.service.ts';
import { toCompleted, writeFailureFrames } from '../answers/closing-frames.ts';
import { approversOf } from '../../tools/policies/recipients.ts';
import { writeUnfinishedCalls } from '../answers/open-executions.ts';
import { insertInteraction, type InteractionRow } from '../records/interaction.store.ts';
import type { Question } from '../questions/question.ts';
import { toInteraction } from '../questions/questions.ts';
import { toInboxQuestion } from '../questions/inbox-question.ts';
import type { Completed } from '../records/segment-history.store.ts';
import type { NewStep } from '../records/steps.ts';
import { insertStep } from '../records/turn.store.ts';
import type { TurnFailure } from '../records/turn.ts';
import type { ActiveTurn } from './active-turn.ts';

/** How a segment ends, with the step it leaves. */
export type Outcome =
  | { status: 'COMPLETED' | 'CANCELLED'; finishReason: FinishReason; step: NewStep }
  | { status: 'FAILED'; failure: TurnFailure; step: NewStep }
  | { status: 'INPUT_REQUIRED'; callId: string; question: Question };

/** The end of a turn for which a cancel was requested in the meantime. */
export function asCanceled(outcome: Outcome): Outcome {
  const step: NewStep =
    outcome.status === 'INPUT_REQUIRED'
      ? { kind: 'partial', content: { text: '' }, tokens: 0 }
      : outcome.step;
  return { status: 'CANCELLED', finishReason: 'cancelled', step };
}

/** What the closing transaction stored besides the turn's own row. */
export interface LastStep {
  messageId: string | null;
  interaction: InteractionRow | null;
}

/** Stores the last step of the segment, or its question. */
export async function storeLastStep(
  tx: EntityManager,
  turn: ActiveTurn,
  outcome: Outcome,
  questions: RunQuestionsService,
): Promise<LastStep> {
  if (outcome.status === 'INPUT_REQUIRED') {
    const { callId, question } = outcome;
    const interaction = await insertInteraction(tx, turn.id, callId, question);
    if (isForOthers(question, turn)) await askOthers(tx, turn, interaction, questions);
    return { messageId: null, interaction };
  }
  const { step } = outcome;
  const empty = step.kind === 'partial' && step.content.text === '';
  return { messageId: empty ? null : await insertStep(tx, turn.id, turn.nextStep, step), interaction: null };
}

/** A step of a run asks in its own way, and the user of a turn in the turn itself. */
function isForOthers({ need }: Question, { settings }: ActiveTurn): boolean {
  return settings.source !== 'task' && need !== undefined && approversOf(need) !== 'requester';
}

async function askOthers(
  tx: EntityManager,
  { id: turnId, agent, userId }: ActiveTurn,
  { id: interactionId, question, expiresAt }: InteractionRow,
  questions: RunQuestionsService,
): Promise<void> {
  const { asked, recipients } = toInboxQuestion(question, agent, userId);
  const place = { spaceId: agent.spaceId, turnId, expiresAt };
  await questions.askOfTurn(tx, place, { ...asked, interactionId, turnId }, recipients);
}

/** Returns the product event that ends the segment; null for one that failed. */
export function completedBy(
  turn: ActiveTurn,
  outcome: Outcome,
  { messageId }: LastStep,
  executionMs: number,
): Completed | null {
  if (outcome.status === 'FAILED') return null;
  const finishReason = outcome.status === 'INPUT_REQUIRED' ? 'input_required' : outcome.finishReason;
  const names = { sessionName: turn.session.name, turnId: turn.turnId };
  return toCompleted(names, { messageId, usage: turn.usage, executionMs, finishReason });
}

export function writeEndFrames(
  writer: StreamWriter,
  turn: ActiveTurn,
  outcome: Outcome,
  last: LastStep,
  completed: Completed | null,
): void {
  if (outcome.status === 'FAILED' || outcome.status === 'CANCELLED')
    writeUnfinishedCalls(writer, turn.executions.values(), outcome.status);
  if (outcome.status === 'FAILED') {
    writeFailureFrames(writer, { ...outcome.failure, turnId: turn.turnId, requestId: turn.requestId });
    return;
  }
  if (last.interaction) writeQuestionFrames(writer, turn, last.interaction);
  if (completed) writer.writeEvent('response.completed', completed);
  writer.writeFrame('lifecycle', { event: outcome.status === 'COMPLETED' ? 'completed' : 'interrupted' });
}

function writeQuestionFrames(writer: StreamWriter, turn: ActiveTurn, row: InteractionRow): void {
  const interaction = toInteraction(row, { turnId: turn.turnId, sessionId: turn.session.name });
  writer.writeFrame('input', {
    event: 'requested',
    interrupt_id: interaction.interactionId,
    payload: interaction,
  });
  writer.writeEvent('agent.input.required', { interaction });
}
