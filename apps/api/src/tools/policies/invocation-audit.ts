import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { asks, type ResolvedPolicy } from './call-policy.ts';

/** A call that a person makes, and through which door. What agents and runs call is in their traces. */
export interface DirectCall {
  call: AuditedCall;
  door: 'api' | 'mcp';
}

/** Whether a call leaves an entry: it acts, or who makes it approves it by that. */
export const isAudited = (acts: boolean, { policy }: ResolvedPolicy): boolean => acts || asks(policy.mode);

/** Records that a person calls a method. Arguments can be secrets, and are not part of it. */
export async function recordInvocation(
  tx: EntityManager,
  { call: { by, requestId }, door }: DirectCall,
  { toolId, tool, method }: { toolId: string; tool: string; method: string },
  { rule, policy: { mode } }: ResolvedPolicy,
): Promise<void> {
  const entry = { action: 'tool.invoke' as const, targetType: 'tool', targetId: toolId };
  await recordAudit(tx, by, { ...entry, details: { name: tool, method, door, rule, mode }, requestId });
}
