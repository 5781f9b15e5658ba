import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { FactsService, type Fact } from '../../infra/facts/facts.service.ts';
import { completeWait, type WaitKey } from '../waits/waits.store.ts';
import * as store from './inbox.store.ts';

/** Of its message, what people are told elsewhere. */
const TOLD_MESSAGE = 500;

/** The questions of runs, for the steps that ask them. */
@Injectable()
export class RunQuestionsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly facts: FactsService,
    private readonly sweeper: SweeperWorker,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('reminders of questions', (limit) => this.remind(limit), MINUTE);
  }

  /** Stores the question of a wait, and has its space told. */
  async ask(
    tx: EntityManager,
    key: WaitKey,
    question: store.NewQuestion,
    recipients: readonly string[],
  ): Promise<void> {
    await this.facts.record(tx, toFact(await store.insertQuestion(tx, key, question, recipients), false));
  }

  /** Has spaces told again of questions that are about to expire. Returns how many there were. */
  private remind(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const due = await store.takeReminders(tx, limit);
      for (const question of due) await this.facts.record(tx, toFact(question, true));
      return due.length;
    });
  }

  /** Returns what became of the question for an interaction; null if there is none. */
  find(interactionId: string): Promise<store.TurnQuestion | null> {
    return store.findOfInteraction(this.database, interactionId);
  }

  /**
   * Called when the turn continues with an answer: ends the wait, and closes the question if that answer was not given to it.
   * Returns the values that were given to it before; null if there were none.
   */
  async answer(
    tx: EntityManager,
    interactionId: string,
    { userId, values }: { userId: string; values: Record<string, unknown> },
  ): Promise<Record<string, unknown> | null> {
    const asked = await store.findOfInteraction(tx, interactionId);
    if (asked === null) return null;
    if (asked.status === 'OPEN' && (await completeWait(tx, asked, {}))) {
      const by = { answeredBy: userId, answeredAt: await readTime(tx) };
      await store.storeAnswer(tx, asked.id, { values, approved: null, note: null, ...by });
    }
    await store.settleQuestions(tx, [asked.id]);
    const current = await store.findOfInteraction(tx, interactionId);
    return current?.status === 'ANSWERED' ? current.values : null;
  }

  /** Called when the turn ends without an answer: its run goes on, and learns why. */
  async close(tx: EntityManager, turnId: string, status: 'EXPIRED' | 'CANCELLED'): Promise<void> {
    const asked = await store.findOpenOfTurn(tx, turnId);
    if (asked === null) return;
    if (await completeWait(tx, asked, {})) await store.closeQuestion(tx, asked.id, status);
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

/** A subscriber to it that asks as well is in the chain of the run. */
function toFact(
  { id, spaceId, runId, taskId, taskName, message }: store.WaitingQuestion,
  isReminder: boolean,
): Fact {
  const told = message.length > TOLD_MESSAGE ? `${message.slice(0, TOLD_MESSAGE).toWellFormed()}…` : message;
  return {
    spaceId,
    name: 'question.waiting',
    key: isReminder ? `${id}:reminder` : id,
    payload: { runId, taskId, taskName, message: told, questionId: id, reminder: isReminder },
    causationRunId: runId,
  };
}
