import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { completeWait, type WaitKey } from '../waits/waits.store.ts';
import * as store from './inbox.store.ts';
import type { QuestionEntity } from './question.entity.ts';

/** What the turn of an agent asks in a run. */
type AskedByTurn = Pick<QuestionEntity, 'message' | 'fields'> & {
  interactionId: string;
  turnId: string;
  minValues: number;
  maxValues: number;
};

/** The questions of agents in runs, for the module that runs their turns. */
@Injectable()
export class RunQuestionsService {
  constructor(private readonly database: Database) {}

  /** Stores the question of a wait. It is addressed to the owner of the task. */
  ask(tx: EntityManager, key: WaitKey, question: AskedByTurn, ownerUserId: string): Promise<void> {
    const asked = { ...question, recipients: 'owner', approval: false } as const;
    return store.insertQuestion(tx, key, asked, [ownerUserId]);
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
