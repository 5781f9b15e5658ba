import { Injectable } from '@nestjs/common';
import type { Sql } from '../../infra/database/rows.ts';
import { listRunSummaries, type RunSummary } from './run-summaries.store.ts';

export type { RunSummary };

/** Runs for the pages of other modules. */
@Injectable()
export class RunSummariesService {
  /** Returns runs of a space by id; ids that the space does not have, or no longer has, are omitted. */
  async find(sql: Sql, spaceId: string, ids: readonly string[]): Promise<Map<string, RunSummary>> {
    const found = ids.length === 0 ? [] : await listRunSummaries(sql, spaceId, ids);
    return new Map(found.map((run) => [run.id, run]));
  }
}
