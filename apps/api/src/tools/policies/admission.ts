import { conflict, forbidden } from '../../infra/errors/app-error.ts';
import type { Sql } from '../../infra/database/rows.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import { MAX_ARGUMENTS_BYTES } from '../../tasks/inbox/question-fields.ts';
import { CallPause } from '../calls/call-pause.ts';
import { hashCall, isOnce, toApproval, type ApprovedMethod, type CallConsent } from './call-approval.ts';
import { asks, mayApprove, resolvePolicy, type CallRules, type ResolvedPolicy } from './call-policy.ts';
import { hasConsent, saveConsent } from './consents.store.ts';

/** What decides whether a call is made, besides the method. */
export interface CallAdmission {
  /** What the agent or the step says. */
  rule?: CallRules['caller'];
  /** The session or the run for which an approval can hold. */
  placeId?: string;
  /** Who approved which call. */
  consent?: CallConsent;
  /** The role of a person who makes the call, and so approves what they may approve. */
  ownRole?: string;
}

export interface AdmittedMethod extends ApprovedMethod {
  kind: string;
  acts: boolean;
  policy: CallRules['method'];
}

/**
 * Lets a call pass that nobody has to approve, or that was approved, and returns what decided. Throws CONFLICT for one that is
 * never made, FORBIDDEN if the person who makes it may not approve it, and a `CallPause` for one that a person has to approve first.
 */
export async function admitCall(
  sql: Sql,
  { spaceId, userId }: { spaceId: string; userId: string },
  method: AdmittedMethod,
  input: JsonObject,
  { rule = null, placeId, consent, ownRole }: CallAdmission,
): Promise<ResolvedPolicy> {
  const { kind, acts, id, version } = method;
  const resolved = resolvePolicy({ kind, acts, method: method.policy, caller: rule });
  const { policy } = resolved;
  const name = `${method.tool}.${method.method}`;
  if (policy.mode === 'never')
    throw conflict(`${name} is never called: the policy of the ${resolved.rule} says so`);
  if (!asks(policy.mode)) return resolved;
  if (ownRole !== undefined) {
    if (mayApprove(policy.approvers, { userId, role: ownRole }, userId)) return resolved;
    throw forbidden(`The call of ${name} needs the approval of others`);
  }
  const place = placeId === undefined ? null : { placeId, methodId: id, methodVersion: version };
  if (consent?.hash === hashCall(id, version, input)) {
    if (isOnce(policy) && place !== null)
      await saveConsent(sql, place, { spaceId, approvedBy: consent.approvedBy });
    return resolved;
  }
  if (isOnce(policy) && place !== null && (await hasConsent(sql, place))) return resolved;
  if (Buffer.byteLength(JSON.stringify(input)) > MAX_ARGUMENTS_BYTES)
    throw conflict(
      `The call of ${name} needs an approval, and nobody can read more than ${MAX_ARGUMENTS_BYTES} bytes`,
    );
  throw new CallPause({
    kind: 'APPROVAL',
    message: `May ${name} be called?`,
    call: toApproval(method, input, resolved),
  });
}
