import { Injectable } from '@nestjs/common';
import type { Sql } from '../../infra/database/rows.ts';

/** What a list says about the events that started its runs. */
export interface RunEventQuery {
  applicationIdentifier?: string | undefined;
  event?: string | undefined;
}

/** Returns the events that a query selects, as `<application id>/<name>`; null if it selects all. */
type SelectEvents = (sql: Sql, spaceId: string, query: RunEventQuery) => Promise<string[] | null>;

/** The module of the events, which comes later, knows them by name. */
@Injectable()
export class RunEventsRegistry {
  private selectEvents: SelectEvents | null = null;

  register(select: SelectEvents): void {
    this.selectEvents = select;
  }

  async select(sql: Sql, spaceId: string, query: RunEventQuery): Promise<string[] | null> {
    return this.selectEvents && this.selectEvents(sql, spaceId, query);
  }
}
