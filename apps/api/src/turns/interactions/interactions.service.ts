import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Interaction } from '@platform/contracts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, invalid, notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { isText } from '../../infra/requests/text.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import {
  listExpiredInteractions,
  findInteraction,
  listPendingInteractions,
  type ExpiredInteraction,
  type InteractionRow,
} from '../records/interaction.store.ts';
import {
  answerProblem,
  sameAnswer,
  toInteraction,
  type Question,
  type UserAnswer,
} from '../records/questions.ts';
import { TurnChanged, type TurnRunBy } from '../lifecycle/turn-start.ts';
import { TurnStarterService } from '../lifecycle/turn-starter.service.ts';
import { QUESTION_EXPIRED, WaitingTurnsService } from '../lifecycle/waiting-turns.service.ts';
import { getTurn, loadSegments } from '../records/turn.store.ts';
import type { TurnRow } from '../records/turn.ts';
import { RunQuestionsService } from '../../tasks/inbox/run-questions.service.ts';
import { TurnsService } from '../lifecycle/turns.service.ts';

export interface Resume {
  sessionId: string;
  interactionId: string;
  answer: UserAnswer;
}

const RUN_ENDED = {
  code: 'CANCELLED',
  message: 'The run whose step asked the question has ended',
  retryable: false,
};

/** The questions of agents to their users, and the turns that continue with the responses. */
@Injectable()
export class InteractionsService implements OnModuleInit {
  private readonly logger = new Logger(InteractionsService.name);

  constructor(
    private readonly database: Database,
    private readonly turns: TurnsService,
    private readonly starter: TurnStarterService,
    private readonly waiting: WaitingTurnsService,
    private readonly sweeper: SweeperWorker,
    private readonly questions: RunQuestionsService,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('questions', () => this.expire());
    this.sweeper.register('questions of ended runs', (limit) => this.endAbandoned(limit), MINUTE);
  }

  /** Lists the pending questions of a session. An unknown session has none. */
  async pending(caller: UserPrincipal, agentId: string, sessionId: string): Promise<Interaction[]> {
    if (!isText(sessionId)) return [];
    const found = await listPendingInteractions(this.database, agentId, caller.userId, sessionId);
    return found.map((row) => toInteraction(row, { turnId: row.turnId, sessionId }));
  }

  /** Returns a question of the caller's turn, whatever has become of it. Throws 404 if there is none. */
  async findQuestion(
    caller: UserPrincipal,
    agentId: string,
    turnId: string,
    interactionId: string,
  ): Promise<Question> {
    return (await this.find(await this.turns.find(caller, agentId, turnId), interactionId)).question;
  }

  /**
   * Continues a turn that waits for a response of the user. The same response runs once, however often it is sent: the other
   * requests receive the stream that it opened. Throws 409 for a different response, or one that is too late.
   */
  async resume(
    caller: UserPrincipal,
    agent: InvocableAgent,
    turnId: string,
    { sessionId, interactionId, answer }: Resume,
    requestId: string | null,
  ): Promise<OpenedSegment> {
    const by: TurnRunBy = { agent, userId: caller.userId, requestId };
    for (;;) {
      const turn = await this.turns.find(caller, agent.id, turnId);
      if (turn.sessionName !== sessionId) throw notFound(`Session ${sessionId} has no turn ${turnId}`);
      const interaction = await this.find(turn, interactionId);
      const problem = answerProblem(interaction.question, answer);
      if (problem) throw invalid(problem);
      try {
        return await this.continueWith(turn, interaction, answer, by);
      } catch (error) {
        if (!(error instanceof TurnChanged)) throw error;
      }
    }
  }

  /** Ends the turns whose questions have expired. A turn that cannot be ended does not delay the others. */
  async expire(): Promise<void> {
    let batch = await listExpiredInteractions(this.database, null);
    for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
      for (const interaction of batch) await this.endOrLog(interaction);
      batch = await listExpiredInteractions(this.database, last);
    }
  }

  /** Ends turns that wait for a run which does not go on with them. Returns how many it has ended. */
  private async endAbandoned(limit: number): Promise<number> {
    let ended = 0;
    for (const { id, turnId } of await this.questions.listAbandoned(limit))
      try {
        await this.database.transaction(async (tx) => {
          const turn = await getTurn(tx, turnId);
          if (turn) await this.waiting.end(tx, turn, RUN_ENDED);
          await this.questions.settle(tx, id);
        });
        ended += 1;
      } catch (error) {
        this.logger.warn(
          { err: error, question: id },
          'The turn of an ended run could not be ended; retrying',
        );
      }
    return ended;
  }

  private async endOrLog({ id, turnRef }: ExpiredInteraction): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        const turn = await getTurn(tx, turnRef);
        if (turn) await this.waiting.end(tx, turn, QUESTION_EXPIRED);
      });
    } catch (error) {
      this.logger.warn({ err: error, interaction: id }, 'An expired question could not be ended; retrying');
    }
  }

  private async continueWith(
    turn: TurnRow,
    interaction: InteractionRow,
    answer: UserAnswer,
    by: TurnRunBy,
  ): Promise<OpenedSegment> {
    switch (interaction.status) {
      case 'PENDING':
        return this.starter.resume(turn, interaction, answer, by);
      case 'DISMISSED':
        throw conflict(`The question ${interaction.id} was dismissed`);
      case 'EXPIRED':
        throw conflict(`The question ${interaction.id} has expired`);
      case 'ANSWERED':
        if (interaction.answer === null || !sameAnswer(interaction.answer, answer)) {
          throw conflict(`The question ${interaction.id} already has another answer`);
        }
        return this.repeatAnswer(turn, interaction, by);
    }
  }

  private async repeatAnswer(
    turn: TurnRow,
    interaction: InteractionRow,
    by: TurnRunBy,
  ): Promise<OpenedSegment> {
    const segments = await loadSegments(this.database, turn.id);
    const opened = segments.find(({ segment }) => segment === interaction.segment);
    if (opened === undefined) throw new Error(`Interaction ${interaction.id} opened no segment`);
    const failed = turn.status === 'FAILED' && opened === segments.at(-1);
    return failed ? this.starter.rerunAnswer(turn, interaction, by) : this.turns.openRecorded(turn, opened);
  }

  private async find(turn: TurnRow, id: string): Promise<InteractionRow> {
    const found = isUuid(id) ? await findInteraction(this.database, turn.id, id) : null;
    if (found === null) throw notFound(`Turn ${turn.turnId} has no interaction ${id}`);
    return found;
  }
}
