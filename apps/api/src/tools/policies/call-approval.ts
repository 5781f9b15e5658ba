import { hash } from 'node:crypto';
import type { CallPolicy } from '@platform/contracts';
import { canonicalJson, isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { itemOf, MASK } from '../../tasks/inbox/hidden-values.ts';
import type { CallApproval } from '../calls/call-pause.ts';
import { expand, schemaOfKey } from '../calls/written-integers.ts';
import { explainRule, type ResolvedPolicy } from './call-policy.ts';

/** A method as an approval is bound to it. */
export interface ApprovedMethod {
  toolId: string;
  tool: string;
  method: string;
  id: string;
  version: string;
  inputSchema: JsonObject;
}

/** What was approved: exactly this call. */
export interface CallConsent {
  hash: string;
  approvedBy: string;
}

/** Identifies a call: the same method in the same version with the same arguments. */
export function hashCall(methodId: string, methodVersion: string, input: JsonObject): string {
  return hash('sha256', canonicalJson([methodId, methodVersion, input]), 'hex');
}

export function toApproval(
  { toolId, tool, method, id, version, inputSchema }: ApprovedMethod,
  input: JsonObject,
  { policy, rule }: ResolvedPolicy,
): CallApproval {
  return {
    toolId,
    tool,
    method,
    arguments: withoutSecrets(input, inputSchema),
    methodId: id,
    methodVersion: version,
    hash: hashCall(id, version, input),
    rule,
    why: explainRule(rule, policy.mode),
    once: isOnce(policy),
    approvers: policy.approvers,
  };
}

export function isOnce({ mode }: CallPolicy): boolean {
  return mode === 'ask-once-per-session';
}

/** The consent of a person to the call that was shown, or to one with other arguments. */
export function toConsent(
  { hash: shown, methodId, methodVersion }: CallApproval,
  edited: JsonObject | null,
  approvedBy: string,
): CallConsent {
  return { hash: edited === null ? shown : hashCall(methodId, methodVersion, edited), approvedBy };
}

/** The arguments of a call as people, and models, may see them. */
export function withoutSecrets(input: JsonObject, inputSchema: JsonObject): JsonObject {
  return masked(input, [inputSchema], inputSchema) as JsonObject;
}

/** A schema says which values are secret, or one that it combines or offers for choice: `writeOnly`, or the format `password`. */
function masked(value: unknown, given: readonly unknown[], root: JsonObject): unknown {
  const schemas = expand(given, root);
  if (schemas.some(({ writeOnly, format }) => writeOnly === true || format === 'password')) return MASK;
  if (Array.isArray(value))
    return value.map((item, i) =>
      masked(
        item,
        schemas.map(({ items, prefixItems }) => itemOf(prefixItems, i) ?? items),
        root,
      ),
    );
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [
    key,
    masked(
      field,
      schemas.flatMap((schema) => schemaOfKey(schema, key)),
      root,
    ),
  ]);
  return Object.fromEntries(fields) as JsonObject;
}
