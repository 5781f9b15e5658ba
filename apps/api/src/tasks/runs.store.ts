import { firstRow, type Sql } from '../infra/database/rows.ts';
import type { Lineage } from './lineage.ts';

export function findLineage(sql: Sql, spaceId: string, runId: string): Promise<Lineage | null> {
  return firstRow(
    sql,
    `select envelope_id as "envelopeId", root_id as "rootId", depth, path from run where space_id = $1 and id = $2`,
    [spaceId, runId],
  );
}
