import type { RunStatus } from '@platform/contracts';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { RUN_DURATION, RUN_TABLES } from '../runs/runs.store.ts';

/** What other modules show of a run. */
export interface RunSummary {
  id: string;
  taskId: string;
  taskName: string;
  ownerUserId: string;
  status: RunStatus;
  createdAt: Date;
  finishedAt: Date | null;
  /** Of the current attempt; null while it waits or executes. */
  durationMs: number | null;
}

export function listRunSummaries(sql: Sql, spaceId: string, ids: readonly string[]): Promise<RunSummary[]> {
  return rows(
    sql,
    `select r.id, r.task_id, t.name as task_name, r.owner_user_id, r.status, r.created_at, r.finished_at, ${RUN_DURATION}
     from ${RUN_TABLES} where r.space_id = $1 and r.id = any($2::uuid[])`,
    [spaceId, ids],
  );
}
