import {
  APPROVER_GROUPS,
  CALL_MODES,
  type Approvers,
  type CallMode,
  type CallPolicy,
  type CallPolicyRequest,
  type PolicyRule,
} from '@platform/contracts';
import { isUuid } from '../../infra/requests/ids.ts';
import { isObject } from '../../infra/runtime/json.ts';

const MAX_APPROVERS = 50;
const MAX_POLICIES = 500;
const METHOD_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Stands for all methods of a tool that the policies of an agent do not name. */
const OTHER_METHODS = '*';
const RUN: CallPolicy = { mode: 'run', approvers: 'requester' };

/** The policies that apply to a call, and what the default depends on. */
export interface CallRules {
  kind: string;
  acts: boolean;
  /** Of the method, which an admin has set. */
  method: CallPolicy | null;
  /** Of the agent or of the step that calls it. */
  caller: { rule: 'agent' | 'step'; policy: CallPolicy } | null;
}

export interface ResolvedPolicy {
  policy: CallPolicy;
  rule: PolicyRule;
}

/**
 * Decides what applies to a call. What an admin has set for the method can only be made stricter by an agent or a step, and its
 * approvers stay; the default can be replaced.
 */
export function resolvePolicy({ kind, acts, method, caller }: CallRules): ResolvedPolicy {
  if (method === null)
    return caller ?? { policy: { ...RUN, mode: defaultMode(kind, acts) }, rule: 'default' };
  if (caller === null || strictness(caller.policy.mode) <= strictness(method.mode))
    return { policy: method, rule: 'method' };
  const { approvers } = asks(method.mode) ? method : caller.policy;
  return { policy: { mode: caller.policy.mode, approvers }, rule: caller.rule };
}

/** Nothing that worked without questions begins to ask: only methods of MCP servers ask by default. */
function defaultMode(kind: string, acts: boolean): CallMode {
  return kind === 'mcp' && acts ? 'ask' : 'run';
}

/** The policy that an agent has for a method of a tool; null if it has none. */
export function policyOf(
  policies: Readonly<Record<string, CallPolicyRequest>> | null | undefined,
  method: string,
): CallPolicy | null {
  const given = policies ?? {};
  const key = [method, OTHER_METHODS].find((one) => Object.hasOwn(given, one));
  const policy = key === undefined ? undefined : given[key];
  return policy === undefined ? null : toPolicy(policy);
}

export function asks(mode: CallMode): boolean {
  return mode === 'ask' || mode === 'ask-once-per-session';
}

function strictness(mode: CallMode): number {
  return CALL_MODES.indexOf(mode);
}

/** Whether a person may decide about a call that `requesterId` asked for. */
export function mayApprove(
  approvers: Approvers,
  { userId, role }: { userId: string; role: string },
  requesterId: string,
): boolean {
  switch (approvers) {
    case 'requester':
      return userId === requesterId;
    case 'admins':
      return role === 'ADMIN';
    case 'others':
      return role === 'ADMIN' && userId !== requesterId;
    default:
      return approvers.userIds.includes(userId);
  }
}

/** Says in one sentence why a call needs a person. */
export function explainRule(rule: PolicyRule, mode: CallMode): string {
  const when = mode === 'ask-once-per-session' ? 'once per session' : 'before each call';
  switch (rule) {
    case 'default':
      return `By default, a method of an MCP server that acts asks ${when}.`;
    case 'method':
      return `The method is set to ask ${when}.`;
    case 'agent':
      return `The agent is set to ask ${when} of this method.`;
    case 'step':
      return `The step is set to ask ${when}.`;
  }
}

/** Returns what is wrong with a policy, as the end of a sentence; null if nothing is. */
export function policyProblem(value: unknown): string | null {
  if (!isObject(value)) return 'must be an object with a mode';
  const unknown = Object.keys(value).find((key) => key !== 'mode' && key !== 'approvers');
  if (unknown !== undefined) return 'must have only mode and approvers';
  if (!CALL_MODES.some((mode) => mode === value.mode))
    return `must have a mode that is one of ${CALL_MODES.join(', ')}`;
  return isApprovers(value.approvers ?? 'requester')
    ? null
    : `must have approvers that are ${APPROVER_GROUPS.join(', ')}, or an object with 1 to ${MAX_APPROVERS} userIds`;
}

function isApprovers(value: unknown): boolean {
  if (APPROVER_GROUPS.some((group) => group === value)) return true;
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const ids = value.userIds;
  return (
    Array.isArray(ids) &&
    ids.length > 0 &&
    ids.length <= MAX_APPROVERS &&
    ids.every((id) => typeof id === 'string' && isUuid(id))
  );
}

/** Returns what is wrong with the policies of an agent for a tool, as the end of a sentence; null if nothing is. */
export function policiesProblem(value: unknown): string | null {
  if (!isObject(value)) return 'must be an object';
  const names = Object.keys(value);
  if (names.length > MAX_POLICIES) return `must have at most ${MAX_POLICIES} methods`;
  for (const name of names) {
    if (name !== OTHER_METHODS && !METHOD_NAME.test(name))
      return `must have the names of methods, or ${OTHER_METHODS}, as keys`;
    const problem = policyProblem(value[name]);
    if (problem !== null) return `must have valid policies: that of ${name} ${problem}`;
  }
  return null;
}

/** A policy as it is stored: what is left out has its default. */
export function toPolicy({ mode, approvers = 'requester' }: CallPolicyRequest): CallPolicy {
  if (typeof approvers === 'string') return { mode, approvers };
  return { mode, approvers: { userIds: [...new Set(approvers.userIds.map((id) => id.toLowerCase()))] } };
}
