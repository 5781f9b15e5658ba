import { Injectable } from '@nestjs/common';
import type { Interaction } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, invalid, notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { isText } from '../../infra/requests/text.ts';
import {
  findInteraction,
  listPendingInteractions,
  type InteractionRow,
} from '../records/interaction.store.ts';
import { readDecision } from '../questions/call-needs.ts';
import type { Question, UserAnswer } from '../questions/question.ts';
import { answerProblem, sameAnswer, toInteraction } from '../questions/questions.ts';
import { TurnChanged, type TurnRunBy } from '../lifecycle/turn-start.ts';
import { TurnStarterService } from '../lifecycle/turn-starter.service.ts';
import { loadSegments } from '../records/turn.store.ts';
import type { TurnRow } from '../records/turn.ts';
import { TurnsService } from '../lifecycle/turns.service.ts';
import { assertMayDecide, recordDecision } from './decisions.ts';

export interface Resume {
  sessionId: string;
  interactionId: string;
  answer: UserAnswer;
}

/** The questions of agents to their users, and the turns that continue with the responses. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly database: Database,
    private readonly turns: TurnsService,
    private readonly starter: TurnStarterService,
    private readonly identity: IdentityService,
  ) {}

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
      assertMayDecide(interaction.question, caller, turn);
      const own = interaction.question.need ? { ...answer, by: caller.userId } : answer;
      const problem = answerProblem(interaction.question, own);
      if (problem) throw invalid(problem);
      try {
        const record = (tx: EntityManager) => recordDecision(tx, caller, requestId, turn, interaction, own);
        return await this.continueWith(turn, interaction, own, by, record);
      } catch (error) {
        if (!(error instanceof TurnChanged)) throw error;
      }
    }
  }

  private async continueWith(
    turn: TurnRow,
    interaction: InteractionRow,
    answer: UserAnswer,
    by: TurnRunBy,
    record: (tx: EntityManager) => Promise<void>,
  ): Promise<OpenedSegment> {
    switch (interaction.status) {
      case 'PENDING':
        return this.starter.resume(turn, interaction, answer, by, record);
      case 'DISMISSED':
        throw conflict(`The question ${interaction.id} was dismissed`);
      case 'EXPIRED':
        throw conflict(`The question ${interaction.id} has expired`);
      case 'ANSWERED':
        if (interaction.answer === null || !sameAnswer(interaction.answer, answer)) {
          throw conflict(await this.describeAnswer(interaction));
        }
        return this.repeatAnswer(turn, interaction, by);
    }
  }

  private async describeAnswer({ id, question, answer }: InteractionRow): Promise<string> {
    const by = answer?.by;
    if (by === undefined || question.need === undefined || answer === null)
      return `The question ${id} already has another answer`;
    const { name = by } = (await this.identity.findUsersByIds([by])).get(by) ?? {};
    const decision = readDecision(question.need, answer);
    const what = typeof decision !== 'string' && decision.approved ? 'approved' : 'rejected';
    return `The question ${id} was answered by ${name}: ${what}`;
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
