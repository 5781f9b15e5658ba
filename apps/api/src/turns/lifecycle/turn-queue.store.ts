import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { SegmentRow } from '../records/turn.ts';

/**
 * Locks the session of a known turn. Every claim locks the session first, as new turns do, so that no two wait for each
 * other. Returns false if the session is deleted.
 */
export async function lockKnownSession(tx: Sql, sessionRef: string): Promise<boolean> {
  const locked = await firstRow(
    tx,
    'select from session where id = $1 and deleted_at is null for no key update',
    [sessionRef],
  );
  return locked !== null;
}

/** How far a turn has come: its latest segment, and the steps of the model that are stored. */
export interface TurnExtent extends SegmentRow {
  steps: number;
}

/** The extents of turns by their ids. Turns that never ran have none. */
export async function loadExtents(sql: Sql, turnRefs: string[]): Promise<Map<string, TurnExtent>> {
  if (turnRefs.length === 0) return new Map();
  const found = await rows<TurnExtent & { id: string }>(
    sql,
    `select t.id, g.segment, g.origin, g.stream_id,
       (select count(*)::int from turn_step where turn_id = t.id and kind = 'model') as steps
     from unnest($1::uuid[]) as t(id) cross join lateral (
       select segment, origin, stream_id from turn_segment where turn_id = t.id order by segment desc limit 1
     ) g`,
    [turnRefs],
  );
  return new Map(found.map(({ id, ...extent }) => [id, extent]));
}
