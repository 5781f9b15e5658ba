import { Injectable } from '@nestjs/common';
import type { ChatResponse } from '@platform/contracts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { RunQuestionsService, toGiven as toStoredAnswer } from '../../tasks/inbox/run-questions.service.ts';
import { StepError } from '../../tasks/runs/step-error.ts';
import { StepWait } from '../../tasks/waits/step-wait.ts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import { SegmentReaderService } from '../answers/segment-reader.service.ts';
import { findInteraction, lockPending, type InteractionRow } from '../records/interaction.store.ts';
import { loadSegments } from '../records/turn.store.ts';
import type { TurnRow } from '../records/turn.ts';
import { fromGiven } from '../questions/question-form.ts';
import { toInboxQuestion } from '../questions/inbox-question.ts';
import { TurnChanged } from './turn-start.ts';
import { TurnStarterService } from './turn-starter.service.ts';
import { TurnsService } from './turns.service.ts';
import { QUESTION_EXPIRED, WaitingTurnsService } from './waiting-turns.service.ts';

/** Who runs a turn that may ask. */
interface TurnRunner {
  agent: InvocableAgent;
  caller: UserPrincipal;
  signal: AbortSignal;
  /** Aborts when nobody waits for the turn any more, which goes on. */
  leaving: AbortSignal;
}

/** Follows the turns of steps of runs from one question to the next. Whatever ends a wait executes the step again, which goes on here. */
@Injectable()
export class AskingTurnsService {
  constructor(
    private readonly database: Database,
    private readonly turns: TurnsService,
    private readonly starter: TurnStarterService,
    private readonly waiting: WaitingTurnsService,
    private readonly reader: SegmentReaderService,
    private readonly questions: RunQuestionsService,
  ) {}

  /** Returns the answer of the turn, or what its step waits for. Throws a `StepError` if it was canceled by others. */
  async collect(first: OpenedSegment, runner: TurnRunner): Promise<ChatResponse | StepWait> {
    const { caller, agent, signal, leaving } = runner;
    for (let opened = first; ;) {
      const answer = await this.reader.collect(opened, leaving);
      signal.throwIfAborted();
      if (answer.interaction === null) {
        if (answer.status !== 'cancelled') return answer;
        const { error } = await this.turns.find(caller, agent.id, opened.turnId);
        const code = error?.code === QUESTION_EXPIRED.code ? 'QUESTION_EXPIRED' : 'TURN_CANCELLED';
        throw new StepError(code, error?.message ?? 'The turn of the agent was canceled');
      }
      const next = await this.continue(opened, answer.interaction.interactionId, runner);
      if (next instanceof StepWait) return next;
      opened = next;
    }
  }

  /** Returns the segment that follows a question, which it opens if the question was answered, or a wait for the answer. */
  private async continue(
    { turnId, segment }: OpenedSegment,
    interactionId: string,
    { agent, caller }: TurnRunner,
  ): Promise<OpenedSegment | StepWait> {
    for (;;) {
      const turn = await this.turns.find(caller, agent.id, turnId);
      const latest = (await loadSegments(this.database, turn.id)).at(-1);
      if (latest !== undefined && latest.segment > segment) return this.turns.openRecorded(turn, latest);
      const asked = await findInteraction(this.database, turn.id, interactionId);
      if (asked === null) throw new Error(`Turn ${turnId} has no interaction ${interactionId}`);
      const question = await this.questions.find(interactionId);
      if (asked.status === 'EXPIRED' || question?.status === 'EXPIRED') {
        await this.database.transaction((tx) => this.waiting.end(tx, turn, QUESTION_EXPIRED));
      } else if (asked.status === 'PENDING') {
        if (question?.status !== 'ANSWERED') return this.toWait(turn, asked, { caller, agent });
        const reply = fromGiven(asked.question, toStoredAnswer(question));
        const by = { agent, userId: caller.userId, requestId: null };
        try {
          return await this.starter.resume(turn, asked, reply, by);
        } catch (error) {
          if (!(error instanceof TurnChanged)) throw error;
        }
      }
    }
  }

  private toWait(
    turn: TurnRow,
    { id, question, expiresAt }: InteractionRow,
    { caller, agent }: Pick<TurnRunner, 'caller' | 'agent'>,
  ): StepWait {
    let isPending = true;
    return new StepWait(
      { kind: 'QUESTION', until: expiresAt, repeats: true },
      {
        // Whoever answers the turn itself waits, and then finds the question; or has answered, and there is nothing to ask.
        before: async (tx) => {
          isPending = await lockPending(tx, id);
        },
        store: async (tx, key) => {
          if (!isPending) return this.questions.skip(tx, key);
          const { recipients, asked } = toInboxQuestion(question, agent, caller.userId);
          await this.questions.ask(tx, key, { ...asked, interactionId: id, turnId: turn.id }, recipients);
        },
      },
    );
  }
}
