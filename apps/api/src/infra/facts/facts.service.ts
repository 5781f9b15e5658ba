import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { FACTS_WAITING, insertFact, takeFacts, type Fact } from './facts.store.ts';

export type { Fact };

/**
 * What people and tasks of a space are told, recorded by any module in the transaction in which it happens: none is lost, and
 * the caller waits for nobody. The module of the notifications takes them.
 */
@Injectable()
export class FactsService {
  readonly waiting = FACTS_WAITING;

  record(tx: EntityManager, fact: Fact): Promise<void> {
    return insertFact(tx, fact);
  }

  /** Takes at most `limit` facts. They are gone once the transaction commits. */
  take(tx: EntityManager, limit: number): Promise<Fact[]> {
    return takeFacts(tx, limit);
  }
}
