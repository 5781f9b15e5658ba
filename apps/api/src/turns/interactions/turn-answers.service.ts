import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AgentsService } from '../../agents/agents.service.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, invalid } from '../../infra/errors/app-error.ts';
import { TurnAnswersRegistry, type TurnAnswers } from '../../tasks/inbox/turn-answers.registry.ts';
import { fromGiven, type GivenAnswer } from '../questions/question-form.ts';
import { TurnChanged } from '../lifecycle/turn-start.ts';
import { TurnStarterService } from '../lifecycle/turn-starter.service.ts';
import { answerProblem } from '../questions/questions.ts';
import { findInteraction } from '../records/interaction.store.ts';
import { getTurn } from '../records/turn.store.ts';
import { assertMayDecide, recordDecision } from './decisions.ts';

/** Answers of people to what the turns of others need. */
@Injectable()
export class TurnAnswersService implements TurnAnswers, OnModuleInit {
  constructor(
    private readonly registry: TurnAnswersRegistry,
    private readonly database: Database,
    private readonly identity: IdentityService,
    private readonly agents: AgentsService,
    private readonly starter: TurnStarterService,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  /** The turn goes on as its user, who must still be allowed to invoke the agent. */
  async answer(
    { by, requestId }: AuditedCall,
    question: { id: string; turnId: string | null; interactionId: string | null },
    given: GivenAnswer,
  ): Promise<void> {
    const { turnId, interactionId } = question;
    const turn = turnId === null ? null : await getTurn(this.database, turnId);
    const asked =
      turn && interactionId !== null ? await findInteraction(this.database, turn.id, interactionId) : null;
    const ended = conflict(
      `Question ${question.id} can no longer be answered: its turn has ended or gone on`,
    );
    if (turn === null || asked?.status !== 'PENDING') throw ended;
    const user = await this.identity.findPrincipal(turn.spaceId, turn.userId);
    if (user === null) throw conflict('The person of the turn is no longer a member of the space');
    const agent = await this.agents.getInvocable(user, turn.agentId);
    assertMayDecide(asked.question, by, turn);
    const answer = fromGiven(asked.question, given);
    const problem = answerProblem(asked.question, answer);
    if (problem !== null) throw invalid(problem);
    try {
      await this.starter.resume(turn, asked, answer, { agent, userId: user.userId, requestId }, (tx) =>
        recordDecision(tx, by, requestId, turn, asked, answer),
      );
    } catch (error) {
      if (error instanceof TurnChanged) throw ended;
      throw error;
    }
  }
}
