import { exactlyOne, firstRow, type Sql } from '../../infra/database/rows.ts';
import type { RunStartKeyEntity } from './run-start-key.entity.ts';

/** Stores the key of a start, or returns the start that has it. Waits for one that is just being stored. */
export async function takeStartKey(
  tx: Sql,
  { taskId, userId, keyHash, inputsHash, runId }: RunStartKeyEntity,
): Promise<Pick<RunStartKeyEntity, 'runId' | 'inputsHash'> | null> {
  const taken = await firstRow(
    tx,
    `insert into run_start_key (task_id, user_id, key_hash, inputs_hash, run_id) values ($1, $2, $3, $4, $5)
     on conflict (task_id, user_id, key_hash) do nothing returning run_id`,
    [taskId, userId, keyHash, inputsHash, runId],
  );
  if (taken !== null) return null;
  return exactlyOne(
    tx,
    'select run_id, inputs_hash from run_start_key where task_id = $1 and user_id = $2 and key_hash = $3',
    [taskId, userId, keyHash],
  );
}
