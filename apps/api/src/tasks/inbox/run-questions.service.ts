import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MemberRemovalsRegistry } from '../../auth/people/member-removals.registry.ts';
import { Database } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { FactsService } from '../../infra/facts/facts.service.ts';
import { completeWait, type WaitKey } from '../waits/waits.store.ts';
import type { NewQuestion } from './new-question.ts';
import * as store from './inbox.store.ts';
import { toQuestionFact } from './question-fact.ts';

/** The questions of runs, for the steps that ask them. */
@Injectable()
export class RunQuestionsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly facts: FactsService,
    private readonly sweeper: SweeperWorker,
    private readonly removals: MemberRemovalsRegistry,
  ) {}

  onModuleInit(): void {
    this.removals.register({
      remove: (tx, { spaceId, userId }) => store.leaveQuestions(tx, spaceId, userId),
    });
    this.sweeper.register('reminders of questions', (limit) => this.remind(limit), MINUTE);
  }

  /** Stores the question of a wait, and has its space told. */
  async ask(
    tx: EntityManager,
    key: WaitKey,
    question: NewQuestion,
    recipients: readonly string[],
  ): Promise<void> {
    await this.facts.record(
      tx,
      toQuestionFact(await store.insertQuestion(tx, key, question, recipients), false),
    );
  }

  /** Stores what a turn asks people other than its user, and has its space told. */
  async askOfTurn(
    tx: EntityManager,
    place: { spaceId: string; turnId: string; expiresAt: Date },
    question: NewQuestion,
    recipients: readonly string[],
  ): Promise<void> {
    await this.facts.record(
      tx,
      toQuestionFact(await store.insertTurnQuestion(tx, place, question, recipients), false),
    );
  }

  /** Has spaces told again of questions that are about to expire. Returns how many there were. */
  private remind(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const due = await store.takeReminders(tx, limit);
      for (const question of due) await this.facts.record(tx, toQuestionFact(question, true));
      return due.length;
    });
  }

  /** Returns what became of the question for an interaction; null if there is none. */
  find(interactionId: string): Promise<store.TurnQuestion | null> {
    return store.findOfInteraction(this.database, interactionId);
  }

  /** Lists what a step has asked, oldest first. */
  list(interactionId: string): Promise<store.TurnQuestion[]> {
    return store.listOfInteraction(this.database, interactionId);
  }

  /**
   * Called when the turn continues with an answer: ends the wait, and closes the question if that answer was not given to it.
   * Returns the answer that it has; null if nobody was asked, or nobody has answered.
   */
  async answer(tx: EntityManager, interactionId: string, given: GivenAnswer): Promise<GivenAnswer | null> {
    const asked = await store.findOfInteraction(tx, interactionId);
    if (asked === null) return null;
    const { runId, scope } = asked;
    const isWaiting = runId === null || scope === null || (await completeWait(tx, { runId, scope }, {}));
    if (asked.status === 'OPEN' && isWaiting)
      await store.storeAnswer(tx, asked.id, { ...given, answeredAt: await readTime(tx) });
    await store.settleQuestions(tx, [asked.id]);
    const current = await store.findOfInteraction(tx, interactionId);
    return current?.status === 'ANSWERED' ? toGiven(current) : null;
  }

  /** Answers what runs ask because a connection was missing, in the name of who made it. */
  async connected(
    tx: EntityManager,
    { connectedBy, ...sought }: store.MadeConnection & { connectedBy: string },
  ): Promise<void> {
    const waiting = await store.listAskingFor(tx, sought);
    const answeredAt = await readTime(tx);
    const answer = {
      values: {},
      approved: true,
      note: null,
      edited: null,
      answeredBy: connectedBy,
      answeredAt,
    };
    for (const { id, runId, scope } of waiting)
      if (await completeWait(tx, { runId, scope }, {})) await store.storeAnswer(tx, id, answer);
  }

  /** Called when the turn ends without an answer: its run goes on, and learns why. */
  async close(tx: EntityManager, turnId: string, status: 'EXPIRED' | 'CANCELLED'): Promise<void> {
    const asked = await store.findOpenOfTurn(tx, turnId);
    if (asked === null) return;
    const { runId, scope } = asked;
    if (runId === null || scope === null || (await completeWait(tx, { runId, scope }, {})))
      await store.closeQuestion(tx, asked.id, status);
    await store.settleQuestions(tx, [asked.id]);
  }

  /** Lists closed questions whose turns wait, although no run goes on with them. */
  listAbandoned(limit: number): Promise<{ id: string; turnId: string }[]> {
    return store.listAbandoned(this.database, limit);
  }

  /** Stores that the turn of a question no longer waits. */
  settle(tx: EntityManager, id: string): Promise<void> {
    return store.settleQuestions(tx, [id]);
  }

  /** Ends a wait whose question has been answered before it was stored. */
  async skip(tx: EntityManager, key: WaitKey): Promise<void> {
    await completeWait(tx, key, {});
  }
}

/** An answer without its time. */
type GivenAnswer = Omit<store.Answer, 'answeredAt'>;

export function toGiven({ values, approved, note, edited, answeredBy }: store.TurnQuestion): GivenAnswer {
  return { values: values ?? {}, approved, note, edited, answeredBy: answeredBy ?? '' };
}
