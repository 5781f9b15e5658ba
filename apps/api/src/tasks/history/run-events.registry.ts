import { Injectable } from '@nestjs/common';
import type { Trigger } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { notFound } from '../../infra/errors/app-error.ts';
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
  /**
   * Returns the trigger of the runs of an envelope, without its payload. Throws FORBIDDEN or NOT_FOUND if the caller cannot read the
   * envelope, and CONFLICT if its payload was erased.
   */
  getTrigger: (by: UserPrincipal, envelopeId: string) => Promise<Trigger>;
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

  async getTrigger(by: UserPrincipal, envelopeId: string): Promise<Trigger> {
    if (this.events === null) throw notFound(`Envelope ${envelopeId} does not exist`);
    return this.events.getTrigger(by, envelopeId);
  }

  async countAgain(tx: EntityManager, spaceId: string, runs: readonly StartedRun[]): Promise<void> {
    await this.events?.countAgain(tx, spaceId, runs);
  }
}
