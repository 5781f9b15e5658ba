import type { AuditAction } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { insertRow } from '../../infra/database/entity-rows.ts';
import { AuditEntryEntity } from './audit-entry.entity.ts';
import type { Principal } from '../principals/principal.ts';

export interface AuditRecord {
  action: AuditAction;
  targetType: string;
  targetId: string | null;
  /** Never contains a secret. */
  details?: Record<string, unknown>;
  requestId?: string;
  /** The space in which it happened; default: the space of the principal. */
  spaceId?: string;
  /** Whether the entry does not name the actor. */
  anonymous?: boolean;
}

/** Records what a person does, in the same transaction. */
export async function recordAudit(
  tx: EntityManager,
  principal: Principal,
  record: AuditRecord,
): Promise<void> {
  const { anonymous = false, details = {}, spaceId = principal.spaceId, ...entry } = record;
  const actorUserId = principal.kind === 'user' && !anonymous ? principal.userId : null;
  await insertRow(tx, AuditEntryEntity, { ...entry, details, spaceId, actorUserId });
}
