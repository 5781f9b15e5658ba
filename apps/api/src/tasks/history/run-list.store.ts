import { RUN_STATUSES, type RunOrigin, type RunStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { smallestIdAt } from '../../infra/requests/instant.ts';
import { spellingsOf } from '../../infra/runtime/json.ts';
import { ERROR_CODE, FAILURE_GROUP } from './failure-groups.store.ts';
import { RUN_LISTING, RUN_TABLES, type RunListingRow } from '../runs/runs.store.ts';

/** Ids are about as old as their runs, by the clocks of several processes. A range of ids selects, `created_at` decides. */
const ID_SLACK_MS = 60_000;
/** How many runs a page looks at if no index serves its whole filter. */
const SCAN_LIMIT = 12_000;
/** The event that started a run, as `<application id>/<name>`: an index has this expression. */
export const EVENT_OF_RUN = 'path[cardinality(path)]';

/** Which runs a list has. Null: all. */
export interface RunFilter {
  spaceId: string;
  taskId: string | null;
  /** The events that started them, as `<application id>/<name>`. */
  events: readonly string[] | null;
  ownerUserId: string | null;
  origin: RunOrigin | null;
  statuses: readonly RunStatus[] | null;
  /** Of the error with which the run ended. */
  errorCode: string | null;
  /** Groups of failures (`FAILURE_GROUP`). */
  failures: readonly string[] | null;
  /** Whether someone put the failure aside. */
  isDismissed: boolean | null;
  /** Whether it has tests, and nothing else. */
  areTests: boolean;
  /** Inclusive. */
  from: Date | null;
  /** Exclusive. */
  to: Date | null;
}

export interface FoundRuns {
  /** In the order of the scan. */
  ids: string[];
  /** How far the search came, if it found fewer than wanted although there may be more beyond. */
  scannedTo: string | null;
}

/**
 * An index has the runs in the order of a page. The planner, which underestimates how many an event or a status has, would
 * read and sort them all.
 */
export const IN_INDEX_ORDER = 'set local enable_sort = off';

/** Where a search begins, and in which direction it goes. */
export interface RunScan {
  /** The last id that was found before. */
  after: string | null;
  order: 'asc' | 'desc';
  limit: number;
}

/** Finds runs after an id, in the order of their ids. */
export async function findRuns(tx: EntityManager, filter: RunFilter, scan: RunScan): Promise<FoundRuns> {
  const { limit } = scan;
  const { text, values } = findRunsStatement(filter, scan);
  await tx.query(IN_INDEX_ORDER);
  const found = await rows<{ id: string; isEnd: boolean }>(tx, text, values);
  const ids = found.filter(({ isEnd }) => !isEnd).map(({ id }) => id);
  const end = found.find(({ isEnd }) => isEnd);
  return { ids, scannedTo: ids.length < limit ? (end?.id ?? null) : null };
}

const FAILURE_STATUSES: readonly RunStatus[] = ['FAILED', 'INTERRUPTED'];
const IS_FAILURE = `status in ('FAILED', 'INTERRUPTED') and dismissed_at is null`;

/**
 * The task, the events, the owner, the origin, or that they are failures selects an index, in this order; the others are
 * checked on what it finds, which is bounded. One index lookup per status, so that a page of rare runs is read as fast as any
 * other. A range instead of an equality keeps the planner from reading all runs in the order of their ids, which it does if
 * it underestimates how rare they are.
 */
export function findRunsStatement(
  filter: RunFilter,
  { after, order, limit }: RunScan,
): { text: string; values: unknown[] } {
  const { taskId, events, ownerUserId, origin, from, to, errorCode, failures, isDismissed } = filter;
  const values: unknown[] = [filter.spaceId];
  const put = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const statuses = filter.statuses ?? RUN_STATUSES;
  // The index of a task does not begin with the space; without this, the planner may prefer one that does.
  const inSpace = taskId === null ? 'space_id = $1' : '(space_id = $1) is true';
  const bounds = [inSpace, 'status between wanted.status and wanted.status'];
  // There are few tests, and never many together.
  if (!filter.areTests) bounds.push('test is null');
  if (after !== null) bounds.push(`id ${order === 'asc' ? '>' : '<'} ${put(after, 'uuid')}`);
  if (from !== null) {
    bounds.push(`id >= ${put(smallestIdAt(from.getTime() - ID_SLACK_MS), 'uuid')}`);
    bounds.push(`created_at >= ${put(from, 'timestamptz')}`);
  }
  if (to !== null) {
    bounds.push(`id < ${put(smallestIdAt(to.getTime() + ID_SLACK_MS), 'uuid')}`);
    bounds.push(`created_at < ${put(to, 'timestamptz')}`);
  }

  const leadsByEvent = events !== null && taskId === null;
  const conditions: string[] = [];
  if (taskId !== null) conditions.push(`task_id = ${put(taskId, 'uuid')}`);
  if (events !== null) {
    const one = leadsByEvent ? 'named.event' : `any(${put(events, 'text[]')})`;
    conditions.push(`envelope_id is not null and ${EVENT_OF_RUN} = ${one}`);
  }
  if (ownerUserId !== null) conditions.push(`owner_user_id = ${put(ownerUserId, 'uuid')}`);
  if (origin !== null) conditions.push(`origin = '${origin}'`);
  const areFailures = isDismissed === false && statuses.every((status) => FAILURE_STATUSES.includes(status));
  if (areFailures) conditions.push(IS_FAILURE);
  const [lead = 'true', ...rest] = conditions;
  // No index has these.
  const columns = ['id', 'status', 'dismissed_at', 'owner_user_id', 'origin', 'envelope_id', 'path'];
  if (filter.areTests) {
    columns.push('test is not null as is_test');
    rest.push('is_test');
  }
  if (isDismissed !== null && !areFailures) rest.push(`(dismissed_at is not null) = ${isDismissed}`);
  if (errorCode !== null) {
    columns.push(`${ERROR_CODE} as error_code`);
    rest.push(`error_code = ${put(errorCode, 'text')}`);
  }
  if (failures !== null) {
    columns.push(`${FAILURE_GROUP} as failure`);
    rest.push(`failure = any(${put(failures, 'text[]')})`);
  }

  const groups = statuses.length * (leadsByEvent ? Math.max(1, events.length) : 1);
  const size = rest.length === 0 ? limit : Math.max(limit, Math.floor(SCAN_LIMIT / groups));
  const [statusOrder, idOrder, lastFirst] =
    order === 'asc' ? ['status desc', 'id', 'id desc'] : ['status', 'id desc', 'id'];
  const ids = `
    select f.* from unnest(${put(statuses, 'text[]')}) as wanted(status)
    ${leadsByEvent ? `cross join unnest(${put(events, 'text[]')}) as named(event)` : ''}
    cross join lateral (
      select ${rest.length === 0 ? 'id' : columns.join(', ')} from run r
      where ${lead} and ${bounds.join(' and ')}
      order by ${statusOrder}, ${idOrder} limit ${put(size, 'int')}
    ) f order by f.${idOrder} limit ${put(size, 'int')}`;
  if (rest.length === 0)
    return { text: `select id, false as is_end from (${ids}) f order by ${idOrder}`, values };
  const text = `
    with scanned as materialized (${ids})
    (select id, false as is_end from scanned where ${rest.join(' and ')} order by ${idOrder} limit ${put(limit, 'int')})
    union all
    (select id, true from scanned where (select count(*) from scanned) = ${put(size, 'int')} order by ${lastFirst} limit 1)`;
  return { text, values };
}

/** Lists runs, newest first. */
export function listRuns(sql: Sql, spaceId: string, ids: readonly string[]): Promise<RunListingRow[]> {
  return rows(
    sql,
    `select ${RUN_LISTING} from ${RUN_TABLES}
     where r.space_id = $1 and r.id = any($2::uuid[]) order by r.id desc`,
    [spaceId, ids],
  );
}

/** What a search reads of the steps of a run: its latest ones. */
const STEPS = 1_000;
/** What a payload counts that is stored with its envelope: its size is not known without reading it. */
const ENVELOPE_BYTES = 16_384;

/** The latest steps of a run `r` that have logged something. */
const LOGS = `
  (select log from run_step where run_id = r.id order by attempt desc, position desc limit ${STEPS}) s where s.log is not null`;

/** Returns how many bytes of each run a search reads from the disk, where they are compressed, in the order of the ids. */
export async function listStoredSizes(sql: Sql, ids: readonly string[]): Promise<number[]> {
  const found = await rows<{ bytes: number }>(
    sql,
    `select (pg_column_size(r.inputs) + coalesce(pg_column_size(r.error), 0)
       + coalesce(pg_column_size(r.payload), case when r.envelope_id is null then 0 else ${ENVELOPE_BYTES} end)
       + coalesce((select sum(pg_column_size(s.log)) from ${LOGS}), 0))::int as bytes
     from unnest($1::uuid[]) with ordinality as k(id, n) left join run r on r.id = k.id order by k.n`,
    [ids],
  );
  return found.map(({ bytes }) => bytes);
}

/** Returns which of the runs have a text, or its JSON, in their inputs, payload, error, or logs, whatever the case of its letters. */
export async function listRunsWithText(sql: Sql, ids: readonly string[], text: string): Promise<Set<string>> {
  const has = (value: string) => `strpos(lower(${value}::text), lower(k.text)) > 0`;
  const found = await rows<{ id: string }>(
    sql,
    `select r.id from unnest($2::text[]) as k(text), run r
     where r.id = any($1::uuid[]) and r.erased_at is null and (
       ${has('r.inputs')} or ${has('r.error')} or ${has('coalesce(r.payload, envelope_payload(r.envelope_id))')}
       or exists (select from ${LOGS} and ${has('s.log')}))`,
    [ids, spellingsOf(text)],
  );
  return new Set(found.map(({ id }) => id));
}
