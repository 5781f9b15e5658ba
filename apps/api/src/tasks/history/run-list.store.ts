import { RUN_STATUSES, type RunOrigin, type RunStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { smallestIdAt } from '../../infra/requests/instant.ts';
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
  status: RunStatus | null;
  /** Inclusive. */
  from: Date | null;
  /** Exclusive. */
  to: Date | null;
}

export interface FoundRuns {
  /** Newest first. */
  ids: string[];
  /** How far the search came, if it found fewer than wanted although there may be more beyond. */
  scannedTo: string | null;
}

/**
 * An index has the runs in the order of a page. The planner, which underestimates how many an event or a status has, would
 * read and sort them all.
 */
export const IN_INDEX_ORDER = 'set local enable_sort = off';

/** Finds runs below an id, newest first. */
export async function findRuns(
  tx: EntityManager,
  filter: RunFilter,
  below: string | null,
  limit: number,
): Promise<FoundRuns> {
  const { text, values } = findRunsStatement(filter, below, limit);
  await tx.query(IN_INDEX_ORDER);
  const found = await rows<{ id: string; isEnd: boolean }>(tx, text, values);
  const ids = found.filter(({ isEnd }) => !isEnd).map(({ id }) => id);
  const end = found.find(({ isEnd }) => isEnd);
  return { ids, scannedTo: ids.length < limit ? (end?.id ?? null) : null };
}

/**
 * The task, the events, the owner, or the origin selects an index, in this order; the others are checked on what it finds,
 * which is bounded. One index lookup per status, so that a page of rare runs is read as fast as any other. A range instead of
 * an equality keeps the planner from reading all runs in the order of their ids, which it does if it underestimates how rare
 * they are.
 */
export function findRunsStatement(
  filter: RunFilter,
  below: string | null,
  limit: number,
): { text: string; values: unknown[] } {
  const { taskId, events, ownerUserId, origin, status, from, to } = filter;
  const values: unknown[] = [filter.spaceId];
  const put = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const statuses = status === null ? RUN_STATUSES : [status];
  // The index of a task does not begin with the space; without this, the planner may prefer one that does.
  const inSpace = taskId === null ? 'space_id = $1' : '(space_id = $1) is true';
  const bounds = [inSpace, 'status between wanted.status and wanted.status'];
  if (below !== null) bounds.push(`id < ${put(below, 'uuid')}`);
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
  // Literals, so that the planner recognizes the partial index. Most runs are those of events, so no index is for them.
  if (origin === 'EVENT') conditions.push('true');
  if (origin !== null) conditions.push(`origin = '${origin}'`);
  const [lead = 'true', ...rest] = conditions;

  const groups = statuses.length * (leadsByEvent ? Math.max(1, events.length) : 1);
  const size = rest.length === 0 ? limit : Math.max(limit, Math.floor(SCAN_LIMIT / groups));
  const ids = `
    select f.* from unnest(${put(statuses, 'text[]')}) as wanted(status)
    ${leadsByEvent ? `cross join unnest(${put(events, 'text[]')}) as named(event)` : ''}
    cross join lateral (
      select id${rest.length === 0 ? '' : ', owner_user_id, origin, envelope_id, path'} from run
      where ${lead} and ${bounds.join(' and ')}
      order by status, id desc limit ${put(size, 'int')}
    ) f order by f.id desc limit ${put(size, 'int')}`;
  if (rest.length === 0)
    return { text: `select id, false as is_end from (${ids}) f order by id desc`, values };
  const text = `
    with scanned as materialized (${ids})
    (select id, false as is_end from scanned where ${rest.join(' and ')} order by id desc limit ${put(limit, 'int')})
    union all
    (select id, true from scanned where (select count(*) from scanned) = ${put(size, 'int')} order by id limit 1)`;
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
