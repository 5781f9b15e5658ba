import { Injectable } from '@nestjs/common';
import type { ChangeKind } from '@platform/contracts';
import type { Sql } from '../database/rows.ts';

/** A row of a large table as a poll sees it. */
export interface PolledRow {
  spaceId: string;
  id: string;
  status: string;
  /** Differs whenever the row does. */
  version: string;
  /** Whether it will change again by itself. */
  isOpen: boolean;
  /** The person who hears of it besides admins; null: admins alone. */
  ownerUserId: string | null;
}

/**
 * A table that is too hot for triggers: it is read once a second, for the spaces that someone follows. Changes of rows that
 * are neither open nor new are told by triggers.
 */
export interface ChangeSource {
  kind: ChangeKind;
  /** The newest `limit` rows of each space and status that are open, or at most a few seconds old. */
  listCurrent(sql: Sql, spaceIds: readonly string[], limit: number): Promise<PolledRow[]>;
  listByIds(sql: Sql, ids: readonly string[]): Promise<PolledRow[]>;
}

/** The tables that the stream of changes polls. Their modules register them. */
@Injectable()
export class ChangeSourcesRegistry {
  readonly sources: ChangeSource[] = [];

  register(source: ChangeSource): void {
    this.sources.push(source);
  }
}
