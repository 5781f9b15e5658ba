import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { violates } from '../../infra/database/rows.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { SessionBusyError } from '../records/turn-state.ts';
import { conflict, invalid } from '../../infra/errors/app-error.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { RunQuestionsService } from '../../tasks/inbox/run-questions.service.ts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import type { ActiveTurn } from '../engine/active-turn.ts';
import { TurnRunnerService } from '../engine/turn-runner.service.ts';
import {
  answerInteraction,
  moveAnswer,
  moveAnswerOf,
  type InteractionRow,
} from '../records/interaction.store.ts';
import type { UserAnswer } from '../questions/question.ts';
import { readDecision } from '../questions/call-needs.ts';
import { answerText, sameAnswer } from '../questions/questions.ts';
import type { NewStep } from '../records/steps.ts';
import { getTurn, insertStep, loadSettings, runningTurn } from '../records/turn.store.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';
import { TurnClaimsService, type Continuation } from './turn-claims.service.ts';
import { TurnPreparationService } from './turn-preparation.service.ts';
import { fromGiven, toGiven } from '../questions/question-form.ts';
import { TurnChanged, type NewTurn, type TurnRunBy } from './turn-start.ts';

/** Starts and continues turns: prepares them, stores them in one transaction, and launches what is stored. */
@Injectable()
export class TurnStarterService {
  constructor(
    private readonly database: Database,
    private readonly streams: StreamsService,
    private readonly preparation: TurnPreparationService,
    private readonly claims: TurnClaimsService,
    private readonly runner: TurnRunnerService,
    private readonly questions: RunQuestionsService,
  ) {}

  /**
   * Runs a new turn. `mayHaveCancelRequest`: the caller chose its id, and may have canceled it already. Throws
   * `TurnChanged` if its id is taken.
   */
  async start(turn: NewTurn, mayHaveCancelRequest: boolean): Promise<OpenedSegment> {
    this.runner.assertOpen();
    const prepared = await this.preparation.prepare(turn);
    const session = { spaceId: turn.agent.spaceId, agentId: turn.agent.id, userId: turn.caller.userId };
    return this.launch({ ...session, sessionName: turn.sessionName }, (tx) =>
      this.claims.start(tx, prepared, mayHaveCancelRequest),
    );
  }

  /** Stores a new turn that waits in QUEUED for `run`, and what `also` stores. Throws `TurnChanged` if its id is taken. */
  async queue(
    turn: NewTurn,
    also: (tx: EntityManager, turn: { id: string; sessionRef: string }) => Promise<void>,
  ): Promise<void> {
    const prepared = await this.preparation.prepare(turn);
    await this.database.transaction(
      async (tx) => {
        const stored = await this.claims.queue(tx, prepared);
        await also(tx, stored);
        return stored.id;
      },
      { committed: async (id) => (await getTurn(this.database, id)) !== null },
    );
  }

  /** QUEUED or FAILED → RUNNING, with what `also` stores. Throws `TurnChanged` if the turn is in neither state. */
  run(
    turn: TurnRow,
    from: 'QUEUED' | 'FAILED',
    by: TurnRunBy,
    also: (tx: EntityManager) => Promise<void> = async () => undefined,
  ): Promise<OpenedSegment> {
    return this.continue({
      turn,
      from,
      by,
      origin: from === 'QUEUED' ? 'start' : 'rerun',
      also: async (tx, segment) => {
        await also(tx);
        // If an answer opened the failed segment, it belongs to this one now.
        if (from === 'FAILED') await moveAnswerOf(tx, turn.id, segment - 1, segment);
      },
    });
  }

  /**
   * INPUT_REQUIRED → RUNNING with the answer of a person, and what `record` stores. Throws `TurnChanged` if the question has ended.
   */
  resume(
    turn: TurnRow,
    interaction: InteractionRow,
    answer: UserAnswer,
    by: TurnRunBy,
    record: (tx: EntityManager) => Promise<void> = async () => undefined,
  ): Promise<OpenedSegment> {
    const { id, question } = interaction;
    const given = toGiven(question, answer, by.userId);
    return this.continue({
      turn,
      from: 'INPUT_REQUIRED',
      by,
      origin: 'resume',
      also: async (tx, segment, nextStep) => {
        if (!(await answerInteraction(tx, id, answer, segment))) throw new TurnChanged();
        const asked = await this.questions.answer(tx, id, given);
        // There are several ways to say the same.
        if (asked !== null && !sameAnswer(fromGiven(question, asked), fromGiven(question, given)))
          throw conflict(`The question ${id} already has another answer`);
        await insertStep(tx, turn.id, nextStep, await toStep(interaction, answer, by.userId));
        await record(tx);
      },
    });
  }

  /** FAILED → RUNNING when the same answer is sent again. */
  rerunAnswer(turn: TurnRow, interaction: InteractionRow, by: TurnRunBy): Promise<OpenedSegment> {
    return this.continue({
      turn,
      from: 'FAILED',
      by,
      origin: 'rerun',
      also: (tx, segment) => moveAnswer(tx, interaction.id, segment),
    });
  }

  /** QUEUED → FAILED with its reason. Returns false if the turn has started or ended. */
  reject(turn: TurnRow, why: TurnFailure): Promise<boolean> {
    return this.database.transaction((tx) => this.claims.reject(tx, turn, why));
  }

  private async continue(continuation: Omit<Continuation, 'settings' | 'model'>): Promise<OpenedSegment> {
    this.runner.assertOpen();
    const { turn, by } = continuation;
    const settings = await loadSettings(this.database, turn.id);
    const model = await this.preparation.resolveModel(by.agent, settings);
    const session = { spaceId: by.agent.spaceId, agentId: by.agent.id, userId: by.userId };
    return this.launch({ ...session, sessionName: turn.sessionName }, (tx) =>
      this.claims.continue(tx, { ...continuation, settings, model }),
    );
  }

  /** Runs the transaction and then the turn that it returns. Throws CONFLICT if the session runs another turn. */
  private async launch(
    session: { spaceId: string; agentId: string; userId: string; sessionName: string },
    claim: (tx: EntityManager) => Promise<ActiveTurn>,
  ): Promise<OpenedSegment> {
    const { spaceId, agentId, userId, sessionName } = session;
    try {
      failpoint('turns.claim');
      const turn = await this.runner.launch(() =>
        // All claims lock the session first, which by itself leaves at most an empty session, or a higher `turnCount`.
        this.database.transaction(claim, {
          lane: spaceId,
          committed: ({ writer }) => this.streams.isWrittenBy(writer),
        }),
      );
      const { segment, streamId } = turn.writer;
      return { turnId: turn.turnId, sessionName, userId, segment, streamId };
    } catch (error) {
      if (!violates(error, 'turn_running')) throw error;
      const running = await runningTurn(this.database, agentId, userId, sessionName);
      throw new SessionBusyError(sessionName, running);
    }
  }
}

/** What the answer becomes in the turn: the result of the call that asked, or a decision about a call that is made next. */
async function toStep(
  { callId, question }: InteractionRow,
  answer: UserAnswer,
  userId: string,
): Promise<NewStep> {
  const { need } = question;
  if (need === undefined) {
    const text = answerText(question, answer);
    return { kind: 'tool-result', content: { callId, text }, tokens: await countTokens(text) };
  }
  const decision = readDecision(need, answer);
  if (typeof decision === 'string') throw invalid(decision);
  const { by = userId } = answer;
  return { kind: 'tool-answer', content: { callId, need, decision: { ...decision, by } }, tokens: 0 };
}
