import { affected, firstRow, rows, type Sql } from '../../infra/database/rows.ts';

export interface StoredResponse {
  status: number;
  output: unknown;
  warnings: string[];
}

export function findResponse(sql: Sql, key: Buffer): Promise<StoredResponse | null> {
  return firstRow(
    sql,
    `select status, output, warnings from tool_response where key = $1 and expires_at > clock_timestamp()`,
    [key],
  );
}

export interface NewResponse extends StoredResponse {
  key: Buffer;
  spaceId: string;
  methodId: string;
  ttlSeconds: number;
}

/** Stores a response, in place of an earlier one of the same call. Does nothing if the method was deleted. */
export async function saveResponse(sql: Sql, response: NewResponse): Promise<void> {
  const { key, spaceId, methodId, status, output, warnings, ttlSeconds } = response;
  await rows(
    sql,
    `insert into tool_response (key, space_id, method_id, status, output, warnings, expires_at)
     select $1, $2, id, $4, $5, $6, clock_timestamp() + make_interval(secs => $7)
       from tool_method where id = $3 and space_id = $2
     on conflict (key) do update
       set status = excluded.status, output = excluded.output, warnings = excluded.warnings, expires_at = excluded.expires_at`,
    [key, spaceId, methodId, status, JSON.stringify(output), JSON.stringify(warnings), ttlSeconds],
  );
}

export function purgeResponses(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from tool_response where key = any(array(
       select key from tool_response where expires_at < statement_timestamp() order by expires_at limit $1))`,
    [limit],
  );
}
