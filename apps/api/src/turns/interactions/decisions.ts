import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { forbidden } from '../../infra/errors/app-error.ts';
import { mayApprove } from '../../tools/policies/call-policy.ts';
import { readDecision } from '../questions/call-needs.ts';
import type { Question, UserAnswer } from '../questions/question.ts';
import type { InteractionRow } from '../records/interaction.store.ts';
import type { TurnRow } from '../records/turn.ts';

/** Throws FORBIDDEN if the policy of a call wants others to decide. */
export function assertMayDecide({ need }: Question, by: UserPrincipal, { userId }: TurnRow): void {
  if (need?.kind !== 'APPROVAL' || mayApprove(need.call.approvers, by, userId)) return;
  const { tool, method } = need.call;
  throw forbidden(`The call of ${tool}.${method} is approved by others`);
}

/** Records in the audit who decided about which call. */
export async function recordDecision(
  tx: EntityManager,
  by: UserPrincipal,
  requestId: string | null,
  { agentId, turnId }: TurnRow,
  { id, question: { need } }: InteractionRow,
  answer: UserAnswer,
): Promise<void> {
  const decision = need && readDecision(need, answer);
  if (decision === undefined || typeof decision === 'string') return;
  const call = need?.kind === 'APPROVAL' ? need.call : null;
  const asked = call && {
    toolId: call.toolId,
    tool: call.tool,
    method: call.method,
    hash: call.hash,
    edited: decision.arguments !== undefined,
  };
  const details = { agentId, turnId, approved: decision.approved, ...asked };
  const entry = { action: 'question.answer' as const, targetType: 'interaction', targetId: id };
  await recordAudit(tx, by, { ...entry, details, ...(requestId !== null && { requestId }) });
}
