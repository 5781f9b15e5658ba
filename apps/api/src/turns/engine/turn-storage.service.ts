import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isRejected } from '../../infra/database/data-errors.ts';
import { Database } from '../../infra/database/database.ts';
import { pipelined } from '../../infra/database/rows.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { turnsEnded } from '../../infra/metrics/measures.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { RunQuestionsService } from '../../tasks/inbox/run-questions.service.ts';
import { LeaseLost, type StreamWriter } from '../../streams/stream-writer.ts';
import { UsageService } from '../../usage/usage.service.ts';
import { foldTail } from '../context/context.store.ts';
import { keepCompleted } from '../records/segment-history.store.ts';
import type { NewStep } from '../records/steps.ts';
import { TurnTransitionsService } from '../transitions/turn-transitions.service.ts';
import type { ActiveTurn } from './active-turn.ts';
import { storeStep } from './store-step.ts';
import { chargeCall, reserveForCall } from './turn-billing.ts';
import { asCanceled, completedBy, storeLastStep, writeEndFrames, type Outcome } from './turn-closing.ts';

const RETRY_MS = 250;
/** How often the database may reject the data: retrying forever would keep the session busy forever. */
const MAX_REJECTIONS = 3;

/** The transactions of a running turn that lock accounts: model steps, reservations, and the end. */
@Injectable()
export class TurnStorageService {
  private readonly logger = new Logger(TurnStorageService.name);

  constructor(
    private readonly database: Database,
    private readonly usage: UsageService,
    private readonly transitions: TurnTransitionsService,
    private readonly questions: RunQuestionsService,
  ) {}

  /** Reserves tokens for one more call. Throws 402 if the balance is used up. */
  async reserve(turn: ActiveTurn, promptTokens: number, outputTokens: number): Promise<void> {
    const id = uuidV7();
    // At once: the end of a turn that is stopped meanwhile releases it, too, if only the response was lost.
    turn.reservationId = id;
    const reserve = () =>
      this.database.transaction(
        async (tx) => {
          await turn.writer.assertLease(tx);
          return reserveForCall(tx, this.usage, turn.payer, promptTokens, outputTokens, id);
        },
        { lane: turn.agent.spaceId },
      );
    turn.reservationId = await whileUnavailable(reserve, turn.signal);
  }

  /** Stores a model step that is not the last, and charges what it used. */
  async keep(turn: ActiveTurn, step: Extract<NewStep, { kind: 'model' }>): Promise<void> {
    await storeStep(this.database, turn, step, (tx) =>
      chargeCall(tx, this.usage, turn.payer, turn.reservationId, turn.due),
    );
    turn.due = null;
    turn.reservationId = null;
  }

  /**
   * Ends a turn: its last step, usage, status, and closing frames in one transaction, under its fencing token. While the
   * transaction fails, it is retried and readers are informed. Rejects if the lease is lost or the data is rejected.
   */
  async close(turn: ActiveTurn, outcome: Outcome): Promise<void> {
    const { writer } = turn;
    for (let attempt = 1; ; attempt++) {
      try {
        await writer.flush();
        const { batch, status } = await this.storeEnd(turn, outcome);
        writer.publishEnd(batch);
        turnsEnded.inc({ status });
        return;
      } catch (error) {
        if (error instanceof LeaseLost) writer.abandon();
        if (writer.signal.aborted) throw error;
        if (attempt >= MAX_REJECTIONS && isRejected(error)) throw error;
        this.logger.warn({ err: error, turn: turn.id, attempt }, 'A turn could not be closed; retrying');
        writer.writeEvent('turn.persist_pending', { turnId: turn.turnId, attempt });
        await delay(Math.min(RETRY_MS * attempt, 2_000));
      }
    }
  }

  private storeEnd(turn: ActiveTurn, outcome: Outcome) {
    const { writer } = turn;
    const end = async (tx: EntityManager) => {
      // A caller who got "cancelling" gets a canceled turn; from here on no caller gets that response.
      const ending = (await writer.lockForEnd(tx)) ? asCanceled(outcome) : outcome;
      const { executionMs } = turn;
      const error = ending.status === 'FAILED' ? ending.failure : null;
      const moving = { id: turn.id, sessionRef: turn.session.ref, settings: turn.settings };
      const [last, ended] = await pipelined(
        storeLastStep(tx, turn, ending, this.questions),
        this.transitions.end(tx, moving, { status: ending.status, error, executionMs }),
      );
      if (!ended) throw new LeaseLost();
      if (turn.unfolded) await foldTail(tx, turn.session.ref, turn.unfolded);
      failpoint('turns.close');
      const completed = completedBy(turn, ending, last, executionMs);
      const writeFrames = (closing: StreamWriter) => {
        writeEndFrames(closing, turn, ending, last, completed);
      };
      const [batch] = await pipelined(
        writer.end(tx, writeFrames),
        completed && keepCompleted(tx, writer.streamId, completed),
        chargeCall(tx, this.usage, turn.payer, turn.reservationId, turn.due),
      );
      return { batch, status: ending.status };
    };
    return this.database.transaction(end, { lane: turn.agent.spaceId });
  }
}
