import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { FinishReason } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { isRejected } from '../../infra/database/data-errors.ts';
import { pipelined, type Transactions } from '../../infra/database/rows.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { LeaseLost, type StreamWriter } from '../../streams/stream-writer.ts';
import type { UsageService } from '../../usage/usage.service.ts';
import type { ActiveTurn } from './active-turn.ts';
import { foldTail } from '../context/context.store.ts';
import { insertInteraction, type InteractionRow } from '../records/interaction.store.ts';
import type { NewStep } from '../records/steps.ts';
import { sayUnfinished } from '../answers/open-executions.ts';
import { toInteraction, type Question } from '../records/questions.ts';
import { chargeCall } from './turn-billing.ts';
import { keepCompleted, type Completed } from '../records/segment-history.store.ts';
import type { TurnFailure } from '../records/turn.ts';
import { endTurn, insertStep } from '../records/turn.store.ts';
import { completedOf, writeFailureFrames } from '../answers/closing-frames.ts';

const RETRY_MS = 250;
/** How often the database may reject the data: retrying forever would keep the session busy forever. */
const MAX_REFUSALS = 3;
const logger = new Logger('TurnClosing');

/** How a segment ends, with the step it leaves. */
export type Outcome =
  | { status: 'COMPLETED' | 'CANCELLED'; finishReason: FinishReason; step: NewStep }
  | { status: 'FAILED'; failure: TurnFailure; step: NewStep }
  | { status: 'INPUT_REQUIRED'; callId: string; question: Question };

/**
 * Ends a turn: its last step, usage, status, and closing frames in one transaction, under its fencing token. While the
 * transaction fails, it is retried and readers are informed. Rejects if the lease is lost or the data is rejected.
 */
export async function closeTurn(
  database: Transactions,
  usage: UsageService,
  turn: ActiveTurn,
  outcome: Outcome,
): Promise<void> {
  const { writer } = turn;
  for (let attempt = 1; ; attempt++) {
    try {
      await writer.flush();
      const batch = await database.transaction(async (tx) => {
        // A caller who got "cancelling" gets a cancelled turn; from here on no caller gets that response.
        const ending = (await writer.lockForEnd(tx)) ? cancelled(outcome) : outcome;
        const { executionMs } = turn;
        const error = ending.status === 'FAILED' ? ending.failure : null;
        const [left, ended] = await pipelined(
          leave(tx, turn, ending),
          endTurn(tx, turn.id, { status: ending.status, error, executionMs }),
        );
        if (!ended) throw new LeaseLost();
        if (turn.unfolded) await foldTail(tx, turn.session.ref, turn.unfolded);
        failpoint('turns.close');
        const completed = completedBy(turn, ending, left, executionMs);
        const writeFrames = (closing: StreamWriter) => {
          writeEndFrames(closing, turn, ending, left, completed);
        };
        const [last] = await pipelined(
          writer.end(tx, writeFrames),
          completed && keepCompleted(tx, writer.streamId, completed),
          chargeCall(tx, usage, turn.payer, turn.reservationId, turn.due),
        );
        return last;
      });
      writer.publishEnd(batch);
      return;
    } catch (error) {
      if (error instanceof LeaseLost) writer.abandon();
      if (writer.signal.aborted) throw error;
      if (attempt >= MAX_REFUSALS && isRejected(error)) throw error;
      logger.warn({ err: error, turn: turn.id, attempt }, 'A turn could not be closed; retrying');
      writer.writeEvent('turn.persist_pending', { turnId: turn.turnId, attempt });
      await delay(Math.min(RETRY_MS * attempt, 2_000));
    }
  }
}

/** The end of a turn for which a cancel was requested in the meantime. */
function cancelled(outcome: Outcome): Outcome {
  const step: NewStep =
    outcome.status === 'INPUT_REQUIRED'
      ? { kind: 'partial', content: { text: '' }, tokens: 0 }
      : outcome.step;
  return { status: 'CANCELLED', finishReason: 'cancelled', step };
}

/** What the closing transaction stored besides the turn's own row. */
interface Left {
  messageId: string | null;
  interaction: InteractionRow | null;
}

async function leave(tx: EntityManager, turn: ActiveTurn, outcome: Outcome): Promise<Left> {
  if (outcome.status === 'INPUT_REQUIRED') {
    const { callId, question } = outcome;
    return { messageId: null, interaction: await insertInteraction(tx, turn.id, callId, question) };
  }
  const { step } = outcome;
  const empty = step.kind === 'partial' && step.content.text === '';
  return { messageId: empty ? null : await insertStep(tx, turn.id, turn.nextStep, step), interaction: null };
}

function completedBy(
  turn: ActiveTurn,
  outcome: Outcome,
  { messageId }: Left,
  executionMs: number,
): Completed | null {
  if (outcome.status === 'FAILED') return null;
  const finishReason = outcome.status === 'INPUT_REQUIRED' ? 'input_required' : outcome.finishReason;
  const names = { sessionName: turn.session.name, turnId: turn.turnId };
  return completedOf(names, { messageId, usage: turn.usage, executionMs, finishReason });
}

function writeEndFrames(
  writer: StreamWriter,
  turn: ActiveTurn,
  outcome: Outcome,
  left: Left,
  completed: Completed | null,
): void {
  if (outcome.status === 'FAILED' || outcome.status === 'CANCELLED')
    sayUnfinished(writer, turn.executions.values(), outcome.status);
  if (outcome.status === 'FAILED') {
    writeFailureFrames(writer, { ...outcome.failure, turnId: turn.turnId, requestId: turn.requestId });
    return;
  }
  if (left.interaction) writeQuestionFrames(writer, turn, left.interaction);
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
