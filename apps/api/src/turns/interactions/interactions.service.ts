import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Interaction } from '@platform/contracts';
import { DataSource } from 'typeorm';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { conflict, invalid, notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { isText } from '../../infra/requests/text.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import {
  expiredInteractions,
  findInteraction,
  pendingOf,
  type ExpiredInteraction,
  type InteractionRow,
} from '../records/interaction.store.ts';
import { answerProblem, sameAnswer, toInteraction, type UserAnswer } from '../records/questions.ts';
import { TurnChanged, type TurnRunBy } from '../lifecycle/turn-start.ts';
import { TurnStarterService } from '../lifecycle/turn-starter.service.ts';
import { WaitingTurnsService } from '../lifecycle/waiting-turns.service.ts';
import { getTurn, loadSegments } from '../records/turn.store.ts';
import type { TurnRow } from '../records/turn.ts';
import { TurnsService } from '../lifecycle/turns.service.ts';

export interface Resume {
  sessionId: string;
  interactionId: string;
  answer: UserAnswer;
}

/** Questions of agents to their users, and the turns that go on with the answers. */
@Injectable()
export class InteractionsService implements OnModuleInit {
  private readonly logger = new Logger(InteractionsService.name);

  constructor(
    private readonly database: DataSource,
    private readonly turns: TurnsService,
    private readonly starter: TurnStarterService,
    private readonly waiting: WaitingTurnsService,
    private readonly sweeper: SweeperWorker,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('questions', () => this.expire());
  }

  /** The questions that wait in a session; none for a session that nobody knows. */
  async pending(caller: UserPrincipal, agentId: string, sessionId: string): Promise<Interaction[]> {
    if (!isText(sessionId)) return [];
    const found = await pendingOf(this.database, agentId, caller.userId, sessionId);
    return found.map((row) => toInteraction(row, { turnId: row.turnId, sessionId }));
  }

  /**
   * Goes on with a turn that waits for an answer. However often and from wherever the same answer comes, it runs once:
   * the others get the stream that it opened. Another answer, or one that came too late, is a 409.
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
        return await this.goOn(turn, interaction, answer, by);
      } catch (error) {
        if (!(error instanceof TurnChanged)) throw error;
      }
    }
  }

  /** Ends the turns whose question nobody answered in time; one that cannot be ended keeps no other waiting. */
  async expire(): Promise<void> {
    let batch = await expiredInteractions(this.database, null);
    for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
      for (const interaction of batch) await this.endOrLog(interaction);
      batch = await expiredInteractions(this.database, last);
    }
  }

  private async endOrLog({ id, turnRef }: ExpiredInteraction): Promise<void> {
    const why = { code: 'EXPIRED', message: 'Nobody answered the question in time', retryable: false };
    try {
      await this.database.transaction(async (tx) => {
        const turn = await getTurn(tx, turnRef);
        if (turn) await this.waiting.end(tx, turn, why);
      });
    } catch (error) {
      this.logger.warn({ err: error, interaction: id }, 'A question could not be ended; trying again');
    }
  }

  private async goOn(
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
        return this.answered(turn, interaction, by);
    }
  }

  private async answered(turn: TurnRow, interaction: InteractionRow, by: TurnRunBy): Promise<OpenedSegment> {
    const segments = await loadSegments(this.database, turn.id);
    const opened = segments.find(({ segment }) => segment === interaction.segment);
    if (opened === undefined) throw new Error(`Interaction ${interaction.id} opened no segment`);
    const failed = turn.status === 'FAILED' && opened === segments.at(-1);
    return failed ? this.starter.rerunAnswer(turn, interaction, by) : this.turns.recorded(turn, opened);
  }

  private async find(turn: TurnRow, id: string): Promise<InteractionRow> {
    const found = isUuid(id) ? await findInteraction(this.database, turn.id, id) : null;
    if (found === null) throw notFound(`Turn ${turn.turnId} has no interaction ${id}`);
    return found;
  }
}
