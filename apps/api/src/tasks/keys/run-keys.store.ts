import type { EntityManager } from 'typeorm';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** A claimed run, and the key of which it needs a place. */
export interface KeyedRun {
  runId: string;
  fencingToken: string;
  attempt: number;
  taskId: string;
  /** A hash, as hexadecimal digits. */
  key: string;
  perKey: number;
}

/** `waits`: it was given back, and begins once it has a place. `again`: places are just changing hands. */
export type Entry = 'enters' | 'waits' | 'again' | 'lost';

/** How many runs of a key that has no place are passed over at once. */
const PASSED_OVER = 10_000;

/**
 * Gives places of their keys to runs, in the order in which those were created, and gives back the others. That happens under share
 * locks on all places of a key, so whoever passes one of them on (`pass_key_place`) sees the run that waits. Nobody waits for
 * those locks here, and places are taken in one order: no two transactions can wait for each other.
 */
export async function enterKeys(tx: EntityManager, wanted: readonly KeyedRun[]): Promise<Entry[]> {
  const held = new Set(await lockClaimed(tx, wanted));
  const runs = wanted.filter(({ runId }) => held.has(runId));
  const entered = runs.length === 0 ? new Set<string>() : await takePlaces(tx, runs);
  const left = runs.filter(({ runId }) => !entered.has(runId));
  const full = left.length === 0 ? new Set<string>() : await lockFullKeys(tx, left);
  const waiting = new Set(left.filter((run) => full.has(keyOf(run))).map(({ runId }) => runId));
  if (waiting.size > 0) {
    const parked = left.filter(({ runId }) => waiting.has(runId));
    await giveBack(tx, parked);
    await passOver(tx, parked);
  }
  return wanted.map(({ runId }) => {
    if (!held.has(runId)) return 'lost';
    if (entered.has(runId)) return 'enters';
    return waiting.has(runId) ? 'waits' : 'again';
  });
}

const keyOf = ({ taskId, key }: Pick<KeyedRun, 'taskId' | 'key'>) => `${taskId} ${key}`;

/** Returns the ids of the runs that still belong to their claims, and locks them in the order of their ids, as every statement does. */
async function lockClaimed(tx: EntityManager, runs: readonly KeyedRun[]): Promise<string[]> {
  const held = await rows<{ id: string }>(
    tx,
    `select q.run_id as id from unnest($1::uuid[], $2::uuid[]) as m(run_id, fencing_token)
       join run_queue q on q.run_id = m.run_id and q.fencing_token = m.fencing_token and q.state = 'RUNNING'
     order by q.run_id for no key update of q`,
    [runs.map(({ runId }) => runId), runs.map(({ fencingToken }) => fencingToken)],
  );
  return held.map(({ id }) => id);
}

/** Returns the ids of the runs that have a place now. Those of which another key is stored pass its place on. */
async function takePlaces(tx: EntityManager, runs: readonly KeyedRun[]): Promise<Set<string>> {
  const ids = runs.map(({ runId }) => runId);
  const keys = runs.map(({ key }) => key);
  await rows(
    tx,
    `update run_queue q set concurrency_key = decode(m.key, 'hex') from unnest($1::uuid[], $2::text[]) as m(run_id, key)
     where q.run_id = m.run_id and q.concurrency_key is distinct from decode(m.key, 'hex')`,
    [ids, keys],
  );
  await rows(
    tx,
    `with wanted as (
       select run_id, task_id, key, per_key, row_number() over (partition by task_id, key order by run_id) as i
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) as m(run_id, task_id, key, per_key)
       where not exists (select from run_key_place p where p.run_id = m.run_id)
     ), free as (
       select k.task_id, k.key, g.n, row_number() over (partition by k.task_id, k.key order by g.n) as i
       from (select task_id, key, max(per_key) as per_key from wanted group by task_id, key) k
         cross join generate_series(1, k.per_key) g(n)
       where not exists (select from run_key_place p
         where p.task_id = k.task_id and p.concurrency_key = decode(k.key, 'hex') and p.n = g.n)
     )
     insert into run_key_place (task_id, concurrency_key, n, run_id)
     select task_id, decode(key, 'hex'), n, run_id from wanted join free using (task_id, key, i)
     order by task_id, key, n on conflict do nothing`,
    [ids, runs.map(({ taskId }) => taskId), keys, runs.map(({ perKey }) => perKey)],
  );
  const placed = await rows<{ runId: string }>(
    tx,
    'select run_id from run_key_place where run_id = any($1::uuid[])',
    [ids],
  );
  return new Set(placed.map(({ runId }) => runId));
}

/** Locks the places of keys, and returns the keys of which all are taken and none is about to be passed on. */
async function lockFullKeys(tx: EntityManager, runs: readonly KeyedRun[]): Promise<Set<string>> {
  const keys = [...new Map(runs.map((run) => [keyOf(run), run])).values()];
  const locked = await rows<{ taskId: string; key: string }>(
    tx,
    `select p.task_id, encode(p.concurrency_key, 'hex') as key
     from unnest($1::uuid[], $2::text[], $3::int[]) as m(task_id, key, per_key) join run_key_place p
       on p.task_id = m.task_id and p.concurrency_key = decode(m.key, 'hex') and p.n <= m.per_key
     for share of p skip locked`,
    [keys.map(({ taskId }) => taskId), keys.map(({ key }) => key), keys.map(({ perKey }) => perKey)],
  );
  const counts = Map.groupBy(locked, keyOf);
  return new Set(
    keys.filter((key) => (counts.get(keyOf(key))?.length ?? 0) >= key.perKey).map((key) => keyOf(key)),
  );
}

/** Lets runs wait for a place as if they had not been claimed. One that is to be cancelled does not wait. */
async function giveBack(tx: EntityManager, runs: readonly KeyedRun[]): Promise<void> {
  await rows(
    tx,
    `with own as (
       update run_queue set state = 'READY', slot = null, lease_until = null,
         despite_disabled = despite_disabled or cancel_requested,
         available_at = case when cancel_requested then clock_timestamp() else 'infinity' end
       where run_id = any($1::uuid[]) returning run_id, task_id
     ), queued as (
       update run r set status = 'QUEUED', started_at = case when attempt > 1 then started_at end,
         task_version = case when attempt > 1 then task_version end
       from own where r.id = own.run_id
     ), attempt as (
       delete from run_attempt a using unnest($1::uuid[], $2::int[]) as m(run_id, attempt)
       where a.run_id = m.run_id and a.attempt = m.attempt
     )
     update run_slot s set run_id = null from own where s.task_id = own.task_id and s.run_id = own.run_id`,
    [runs.map(({ runId }) => runId), runs.map(({ attempt }) => attempt)],
  );
}

/** Lets the other queued runs of the same keys wait as well, as far as their keys are known: nobody claims them one by one. */
async function passOver(tx: EntityManager, runs: readonly KeyedRun[]): Promise<void> {
  const keys = [...new Map(runs.map((run) => [keyOf(run), run])).values()];
  await rows(
    tx,
    `update run_queue set available_at = 'infinity' where run_id = any(array(
       select d.run_id from unnest($1::uuid[], $2::text[]) as m(task_id, key) cross join lateral (
         select run_id from run_queue q
         where q.task_id = m.task_id and q.concurrency_key = decode(m.key, 'hex') and q.state = 'READY'
           and q.available_at <= statement_timestamp() and not q.cancel_requested
           and not exists (select from run_key_place p where p.run_id = q.run_id)
         order by q.available_at, q.run_id limit ${PASSED_OVER} for update skip locked
       ) d)) and state = 'READY'`,
    [keys.map(({ taskId }) => taskId), keys.map(({ key }) => key)],
  );
}

/** Has rows if runs with keys wait, for whatever. */
export const KEYED_RUNS_WAITING = `select from run_queue where state = 'READY' and concurrency_key is not null`;

/** A key of which runs wait. Keys are ordered by both. */
export interface WaitingKey {
  taskId: string;
  /** As hexadecimal digits. */
  key: string;
}

/** Lists keys of which runs wait, one lookup for each, however many runs. */
export async function listWaitingKeys(
  sql: Sql,
  after: WaitingKey | null,
  limit: number,
): Promise<WaitingKey[]> {
  const next = (task: string, key: string) => `
    select task_id, concurrency_key from run_queue
    where state = 'READY' and concurrency_key is not null and (task_id, concurrency_key) > (${task}, ${key})
    order by task_id, concurrency_key limit 1`;
  return rows(
    sql,
    `with recursive k as (
       (${next('$1::uuid', `decode($2, 'hex')`)})
       union all
       select n.* from k cross join lateral (${next('k.task_id', 'k.concurrency_key')}) n
     ) select task_id, encode(concurrency_key, 'hex') as key from k limit $3`,
    [after?.taskId ?? '00000000-0000-0000-0000-000000000000', after?.key ?? '', limit],
  );
}

const ofKeys = (keys: readonly WaitingKey[]) => [
  keys.map(({ taskId }) => taskId),
  keys.map(({ key }) => key),
];

/** Deletes places of runs that no longer have them: nothing is known to leave any behind. */
export async function deleteLostPlaces(sql: Sql, keys: readonly WaitingKey[]): Promise<void> {
  await rows(
    sql,
    `delete from run_key_place p using unnest($1::uuid[], $2::text[]) as k(task_id, key)
     where p.task_id = k.task_id and p.concurrency_key = decode(k.key, 'hex') and not exists (
       select from run_queue q where q.run_id = p.run_id and q.concurrency_key = p.concurrency_key)`,
    ofKeys(keys),
  );
}

/**
 * Gives free places to runs that wait for them: after `perKey` was raised, and where nobody saw that they wait. Returns the
 * ids of these runs.
 */
export async function fillPlaces(tx: EntityManager, keys: readonly WaitingKey[]): Promise<string[]> {
  const filled = await rows<{ id: string }>(
    tx,
    `with free as materialized (
       select k.task_id, k.key, g.n, row_number() over (partition by k.task_id, k.key order by g.n) as i,
         count(*) over (partition by k.task_id, k.key) as found
       from unnest($1::uuid[], $2::text[]) as k(task_id, key) join task t on t.id = k.task_id
         cross join generate_series(1, t.per_key) g(n)
       where t.concurrency_key is not null and not exists (select from run_key_place p
         where p.task_id = k.task_id and p.concurrency_key = decode(k.key, 'hex') and p.n = g.n)
     ), waiting as materialized (
       select f.task_id, f.key, q.run_id, row_number() over (partition by f.task_id, f.key order by q.run_id) as i
       from (select distinct task_id, key, found from free) f cross join lateral (
         select run_id from run_queue
         where task_id = f.task_id and concurrency_key = decode(f.key, 'hex') and available_at = 'infinity'
           and state = 'READY'
         order by run_id limit f.found for update skip locked
       ) q
     ), placed as (
       insert into run_key_place (task_id, concurrency_key, n, run_id)
       select task_id, decode(key, 'hex'), n, run_id from waiting join free using (task_id, key, i)
       order by task_id, key, n on conflict do nothing returning run_id
     )
     update run_queue q set available_at = clock_timestamp() from placed where q.run_id = placed.run_id
     returning q.run_id as id`,
    ofKeys(keys),
  );
  return filled.map(({ id }) => id);
}

/** Lets runs begin that wait for a key which their task no longer has. Returns the ids of some of them. */
export async function freeRuns(sql: Sql, keys: readonly WaitingKey[], limit: number): Promise<string[]> {
  const freed = await rows<{ id: string }>(
    sql,
    `update run_queue set available_at = clock_timestamp(), concurrency_key = null where run_id = any(array(
       select q.run_id from unnest($1::uuid[], $2::text[]) as k(task_id, key)
         join task t on t.id = k.task_id and t.concurrency_key is null
         cross join lateral (
           select run_id from run_queue
           where task_id = k.task_id and concurrency_key = decode(k.key, 'hex') and available_at = 'infinity'
             and state = 'READY'
           order by run_id limit $3 for update skip locked
         ) q limit $3)) and state = 'READY' returning run_id as id`,
    [...ofKeys(keys), limit],
  );
  return freed.map(({ id }) => id);
}

/** What a queued run waits for. */
export interface KeyWait {
  perKey: number;
  /** The runs with the same key that execute, or are about to. */
  runIds: string[];
}

/** Returns what a queued run waits for; null if that is no place of its key. */
export function findKeyWait(sql: Sql, runId: string): Promise<KeyWait | null> {
  return firstRow(
    sql,
    `select t.per_key, array(
       select p.run_id from run_key_place p
       where p.task_id = q.task_id and p.concurrency_key = q.concurrency_key order by p.run_id) as run_ids
     from run_queue q join task t on t.id = q.task_id
     where q.run_id = $1 and q.state = 'READY' and q.concurrency_key is not null and q.available_at = 'infinity'`,
    [runId],
  );
}
