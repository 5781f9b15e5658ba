import type { EntityManager } from 'typeorm';
import { rows } from '../infra/database/rows.ts';
import type { Principal } from './principal.ts';

export interface AuditRecord {
  /** `<noun>.<verb>`, such as `member.add`. */
  action: string;
  targetType: string;
  targetId: string | null;
  /** What is worth knowing later; never a secret. */
  details?: Record<string, unknown>;
  requestId?: string;
  /** The space it happened in; none: the principal's. */
  spaceId?: string;
  /** The log does not tell who acted. */
  anonymous?: boolean;
}

/** Writes down an admin call, in the transaction of the act itself. */
export async function recordAudit(
  tx: EntityManager,
  principal: Principal,
  record: AuditRecord,
): Promise<void> {
  const { action, targetType, targetId, details = {}, requestId, spaceId, anonymous = false } = record;
  await rows(
    tx,
    `insert into audit_entry (space_id, actor_user_id, action, target_type, target_id, details, request_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      spaceId ?? principal.spaceId,
      principal.kind === 'user' && !anonymous ? principal.userId : null,
      action,
      targetType,
      targetId,
      JSON.stringify(details),
      requestId,
    ],
  );
}
