import type { RunStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { rows } from '../../infra/database/rows.ts';
import { IN_INDEX_ORDER } from '../history/run-list.store.ts';
import { RUN_DURATION } from '../runs/runs.store.ts';

const ENDED: readonly RunStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'];
/** Of each task. */
const RESULTS = 20;
/** How many runs of a status are looked at: no index leaves out tests. */
const CANDIDATES = 100;

/** A run that has ended. */
export interface ResultRow {
  taskId: string;
  id: string;
  status: RunStatus;
  createdAt: Date;
  durationMs: number | null;
}

export interface ResultFilter {
  spaceId: string;
  taskIds: readonly string[];
  /** Null: whoever owns the task. */
  ownerUserId: string | null;
}

/** Lists the latest results of tasks, newest first. */
export async function listResults(tx: EntityManager, filter: ResultFilter): Promise<ResultRow[]> {
  const { text, values } = resultsStatement(filter);
  await tx.query(IN_INDEX_ORDER);
  return rows(tx, text, values);
}

/**
 * One index lookup for each task and status, which reads little more than it returns. The range of the status as in
 * `findRunsStatement`.
 */
export function resultsStatement({ spaceId, taskIds, ownerUserId }: ResultFilter): {
  text: string;
  values: unknown[];
} {
  const text = `
    select t.id as task_id, r.id, r.status, r.created_at, ${RUN_DURATION}
    from task t cross join lateral (
      select f.* from unnest($4::text[]) as wanted(status) cross join lateral (
        select * from (
          select id, status, created_at, attempt, test is not null as is_test from run
          where task_id = t.id and status between wanted.status and wanted.status
          order by status, id desc limit ${CANDIDATES}
        ) c where not is_test limit ${RESULTS}
      ) f order by f.id desc limit ${RESULTS}
    ) r left join run_attempt a on a.run_id = r.id and a.attempt = r.attempt
    where t.space_id = $1 and t.id = any($2::uuid[]) and ($3::uuid is null or t.owner_user_id = $3)
      and t.deleted_at is null
    order by r.id desc`;
  return { text, values: [spaceId, taskIds, ownerUserId, ENDED] };
}
