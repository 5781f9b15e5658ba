import { rows, type Sql } from '../../infra/database/rows.ts';
import { readableJson } from '../../infra/errors/storable.ts';

/** A run that reads its payload from its envelope. */
export interface RunWithoutPayload {
  id: string;
  envelopeId: string;
}

/** Lists runs of envelopes below an id, after a run, in the order of both ids. */
export function listRunsWithoutPayload(
  sql: Sql,
  before: string,
  after: RunWithoutPayload,
  limit: number,
): Promise<RunWithoutPayload[]> {
  return rows(
    sql,
    `select id, envelope_id from run
     where payload is null and envelope_id is not null and envelope_id < $1 and (envelope_id, id) > ($2::uuid, $3::uuid)
     order by envelope_id, id limit $4`,
    [before, after.envelopeId, after.id, limit],
  );
}

/**
 * Locks the runs of an envelope that are not erased. Returns their ids, and how many of them have not ended. A run that stands for
 * several events has the payload of one of them, or is a batch of all. One that waited for the event can be of any.
 */
export async function lockForErasure(
  tx: Sql,
  spaceId: string,
  envelopeId: string,
  ids: readonly string[],
): Promise<LockedRuns> {
  return toLocked(
    await rows(
      tx,
      `select id, ${IS_UNFINISHED} from run
       where space_id = $1 and id = any($2::uuid[]) and erased_at is null
         and (envelope_id = $3 or json_typeof(payload) = 'array'
           or exists (select from awaited_event where run_id = run.id and envelope_id = $3))
       order by id for update`,
      [spaceId, ids, envelopeId],
    ),
  );
}

/** Lists the runs whose waits an event has ended. */
export async function listAwaiting(sql: Sql, envelopeId: string): Promise<string[]> {
  const found = await rows<{ runId: string }>(
    sql,
    'select run_id from awaited_event where envelope_id = $1',
    [envelopeId],
  );
  return found.map(({ runId }) => runId);
}

/** As `lockForErasure`, the tests that repeat the event. */
export async function lockTestsForErasure(tx: Sql, spaceId: string, envelopeId: string): Promise<LockedRuns> {
  return toLocked(
    await rows(
      tx,
      `select id, ${IS_UNFINISHED} from run
       where test->>'envelopeId' = $2::text and space_id = $1 and erased_at is null order by id for update`,
      [spaceId, envelopeId],
    ),
  );
}

interface LockedRuns {
  ids: string[];
  /** How many of them have not ended. */
  unfinished: number;
}

interface LockedRun {
  id: string;
  isUnfinished: boolean;
}

const IS_UNFINISHED = `status in ('QUEUED', 'RUNNING', 'WAITING') as is_unfinished`;

function toLocked(locked: readonly LockedRun[]): LockedRuns {
  return {
    ids: locked.map(({ id }) => id),
    unfinished: locked.filter(({ isUnfinished }) => isUnfinished).length,
  };
}

/** What is left of an error: its message can quote anything. */
const ERROR = `case when error is not null then
  json_build_object('code', ${readableJson('error')}->'code', 'message', 'The message was erased') end`;

/** What is left of what a call needed. `jsonb_set` changes nothing where no call asked. */
const NEED = `jsonb_set(${readableJson('need')}::jsonb - 'state', '{call,arguments}', '{}')::json`;

/** Erases what runs were given, and what all their attempts have stored. */
export async function eraseRuns(tx: Sql, ids: readonly string[]): Promise<void> {
  await rows(
    tx,
    `update run set payload = '{}', error = ${ERROR}, erased_at = clock_timestamp()
     where id = any($1::uuid[]) and erased_at is null`,
    [ids],
  );
  await rows(tx, `update run_attempt set error = ${ERROR} where run_id = any($1::uuid[])`, [ids]);
  await rows(
    tx,
    `update run_step set input = null, output = null, log = null, error = ${ERROR} where run_id = any($1::uuid[])`,
    [ids],
  );
  await rows(
    tx,
    `update question set message = '"The message was erased"', fields = '[]', "values" = null, note = null,
       need = ${NEED}, edited = null
     where run_id = any($1::uuid[])`,
    [ids],
  );
}

/** Stores the payload of a run that has none. */
export async function storePayload(sql: Sql, id: string, payload: string): Promise<void> {
  await rows(sql, 'update run set payload = $2::json where id = $1 and payload is null', [id, payload]);
}
