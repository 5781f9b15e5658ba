import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';

/** Another definition of a method than the one that an admin approved. */
export interface PendingDefinition extends JsonObject {
  hash: string;
  noticedAt: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  acts: boolean;
}

interface ToolKey {
  spaceId: string;
  id: string;
}

/** Whether the caller is the one that asks the server now, so that one call of many does. */
export async function claimCheck(sql: Sql, { spaceId, id }: ToolKey, everySeconds: number): Promise<boolean> {
  const claimed = await firstRow(
    sql,
    `update tool set checked_at = clock_timestamp()
     where space_id = $1 and id = $2 and deleted_at is null
       and (checked_at is null or checked_at < statement_timestamp() - make_interval(secs => $3))
     returning id`,
    [spaceId, id, everySeconds],
  );
  return claimed !== null;
}

/** Makes the next call ask the server. */
export async function requireCheck(sql: Sql, { spaceId, id }: ToolKey): Promise<void> {
  await rows(sql, 'update tool set checked_at = null where space_id = $1 and id = $2', [spaceId, id]);
}

export interface ApprovedMethod {
  name: string;
  operationKey: string;
  /** The hash of the definition that was approved; null: none was. */
  approved: string | null;
  /** The hash of the definition that waits for approval; null: none waits. */
  pending: string | null;
}

export function listApproved(sql: Sql, { spaceId, id }: ToolKey): Promise<ApprovedMethod[]> {
  return rows(
    sql,
    `select name, operation_key, approved, pending->>'hash' as pending
     from tool_method where space_id = $1 and tool_id = $2`,
    [spaceId, id],
  );
}

/** Null: what was approved is what the server offers again. Nothing changes if an admin has approved another definition meanwhile. */
export async function setPending(
  sql: Sql,
  { spaceId, id }: ToolKey,
  { name, approved }: ApprovedMethod,
  pending: PendingDefinition | null,
): Promise<void> {
  await rows(
    sql,
    `update tool_method set pending = $5
     where space_id = $1 and tool_id = $2 and lower(name) = lower($3) and approved = $4`,
    [spaceId, id, name, approved, pending === null ? null : JSON.stringify(pending)],
  );
}

/** Returns the method if another definition of it waits for approval. */
export function findPending(
  sql: Sql,
  { spaceId, id }: ToolKey,
  methodId: string,
): Promise<{ name: string } | null> {
  return firstRow(
    sql,
    'select name from tool_method where space_id = $1 and tool_id = $2 and id = $3 and pending is not null',
    [spaceId, id, methodId],
  );
}
