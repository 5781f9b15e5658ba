import { Injectable } from '@nestjs/common';
import type { RunStatus } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import * as store from './run-outcomes.store.ts';

export type { EventMinute, RunCounts } from './run-outcomes.store.ts';

/** What becomes of the runs that events start. */
@Injectable()
export class RunOutcomesService {
  /** Returns the status of runs by id; ids that the space does not have, or no longer has, are omitted. */
  async findStatuses(sql: Sql, spaceId: string, ids: readonly string[]): Promise<Map<string, RunStatus>> {
    return ids.length === 0 ? new Map() : store.listStatuses(sql, spaceId, ids);
  }

  /** Lists envelopes of which a run is FAILED or INTERRUPTED, newest first, from `above` (inclusive) to `below`. */
  listFailedEnvelopes(
    sql: Sql,
    spaceId: string,
    range: { above: string; below: string },
    limit: number,
  ): Promise<string[]> {
    return store.listFailedEnvelopes(sql, spaceId, range, limit);
  }

  /** Counts the runs of events by the whole minute in which they were queued: of one space, or of all (null). */
  countByMinute(
    sql: Sql,
    spaceId: string | null,
    from: Date,
    to: Date,
  ): Promise<(store.EventMinute & store.RunCounts)[]> {
    return store.countByMinute(sql, spaceId, from, to);
  }

  /** Counts the runs of events of certain minutes; those without runs are omitted. */
  async countGroups(
    sql: Sql,
    groups: readonly store.EventMinute[],
  ): Promise<(store.EventMinute & store.RunCounts)[]> {
    return groups.length === 0 ? [] : store.countGroups(sql, groups);
  }
}
