import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Sql } from '../../infra/database/rows.ts';

/** What a list says about the events that started its runs. */
export interface RunEventQuery {
  applicationIdentifier?: string | undefined;
  event?: string | undefined;
}

/** A run that an event has started. */
export interface StartedRun {
  id: string;
  /** As `<application id>/<name>`. */
  event: string;
}

/** What the module of the events, which comes later, knows and counts. */
interface RunEvents {
  /** Returns the events that a query selects, as `<application id>/<name>`; null if it selects all. */
  select: (sql: Sql, spaceId: string, query: RunEventQuery) => Promise<string[] | null>;
  /** Has runs of a space counted again that had ended. Called late in the transaction: it locks counts. */
  countAgain: (tx: EntityManager, spaceId: string, runs: readonly StartedRun[]) => Promise<void>;
}

@Injectable()
export class RunEventsRegistry {
  private events: RunEvents | null = null;

  register(events: RunEvents): void {
    this.events = events;
  }

  async select(sql: Sql, spaceId: string, query: RunEventQuery): Promise<string[] | null> {
    return this.events && this.events.select(sql, spaceId, query);
  }

  async countAgain(tx: EntityManager, spaceId: string, runs: readonly StartedRun[]): Promise<void> {
    await this.events?.countAgain(tx, spaceId, runs);
  }
}
