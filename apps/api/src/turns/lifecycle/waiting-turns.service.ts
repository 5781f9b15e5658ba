import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { RunQuestionsService } from '../../tasks/inbox/run-questions.service.ts';
import { toCompleted, writeCanceledFrames } from '../answers/closing-frames.ts';
import { endPending } from '../records/interaction.store.ts';
import { keepCompleted } from '../records/segment-history.store.ts';
import { getTurn, listWaitingTurns, nextSegment } from '../records/turn.store.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';
import { SessionsService } from '../sessions/sessions.service.ts';
import { TurnTransitionsService } from '../transitions/turn-transitions.service.ts';
import { createSegment, storeSegment } from './open-segment.ts';

export const QUESTION_EXPIRED: TurnFailure = {
  code: 'EXPIRED',
  message: 'The question was not answered in time',
  retryable: false,
};

const DISMISSED: TurnFailure = {
  code: 'DISMISSED',
  message: 'A new turn of the session took the place of the question',
  retryable: false,
};

const SESSION_DELETED: TurnFailure = {
  code: 'CANCELLED',
  message: 'The session was deleted',
  retryable: false,
};

/** Ends turns that wait for an answer. */
@Injectable()
export class WaitingTurnsService implements OnModuleInit {
  private readonly logger = new Logger(WaitingTurnsService.name);

  constructor(
    private readonly database: Database,
    private readonly streams: StreamsService,
    private readonly transitions: TurnTransitionsService,
    private readonly questions: RunQuestionsService,
    private readonly sessions: SessionsService,
  ) {}

  onModuleInit(): void {
    this.sessions.onDelete((tx, sessionRef) => this.endAll(tx, sessionRef, SESSION_DELETED));
  }

  /** INPUT_REQUIRED → CANCELLED with the reason and a closing segment. Returns false if the turn no longer waits. */
  async end(tx: EntityManager, turn: TurnRow, why: TurnFailure): Promise<boolean> {
    if (!(await this.transitions.cancel(tx, turn, 'INPUT_REQUIRED', why))) return false;
    const isExpired = why.code === QUESTION_EXPIRED.code;
    await endPending(tx, turn.id, isExpired ? 'EXPIRED' : 'DISMISSED');
    await this.questions.close(tx, turn.id, isExpired ? 'EXPIRED' : 'CANCELLED');
    const opening = {
      turnRef: turn.id,
      turnId: turn.turnId,
      sessionName: turn.sessionName,
      agentId: turn.agentId,
      model: turn.model,
      segment: await nextSegment(tx, turn.id),
      origin: 'resume' as const,
      requestId: null,
      runs: false,
    };
    const writer = createSegment(this.streams, opening);
    await storeSegment(tx, this.streams, writer, opening);
    const nothing = { promptTokens: 0, completionTokens: 0, cost: 0, estimated: false };
    const end = { messageId: null, usage: nothing, executionMs: 0, finishReason: 'cancelled' } as const;
    const completed = toCompleted(turn, end);
    await keepCompleted(tx, writer.streamId, completed);
    await writer.end(tx, (closing) => writeCanceledFrames(closing, completed));
    return true;
  }

  /** As `end`, in a transaction of its own, for turns that are found again: a failure is logged, and delays no others. */
  async tryToEnd(turnRef: string, why: TurnFailure): Promise<boolean> {
    try {
      return await this.database.transaction(async (tx) => {
        const turn = await getTurn(tx, turnRef);
        return turn !== null && (await this.end(tx, turn, why));
      });
    } catch (error) {
      this.logger.warn({ err: error, turn: turnRef }, 'A waiting turn could not be ended; retrying');
      return false;
    }
  }

  /** Ends the waiting turns of a session in which another turn starts. */
  dismiss(tx: EntityManager, sessionRef: string): Promise<void> {
    return this.endAll(tx, sessionRef, DISMISSED);
  }

  private async endAll(tx: EntityManager, sessionRef: string, why: TurnFailure): Promise<void> {
    for (const turn of await listWaitingTurns(tx, sessionRef)) await this.end(tx, turn, why);
  }
}
