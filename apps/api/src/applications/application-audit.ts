import type { AuditAction } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit/audit.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';

/** Records what an admin does with an application. */
export function auditApplication(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  targetId: string,
  details: Record<string, unknown>,
): Promise<void> {
  return recordAudit(tx, by, { action, targetType: 'application', targetId, details, requestId });
}
