import type { ChangeKind, KeyScope } from '@platform/contracts';
import { refusal, scopeRefusal } from '../auth/principals/access.guard.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import type { RouteAccess } from '../infra/routes/access.ts';

const member = (...scopes: KeyScope[]): RouteAccess => ({ rule: 'member', scopes });
const admin = (...scopes: KeyScope[]): RouteAccess => ({ rule: 'admin', scopes });

/** Who may list what a change is about: the rules of the routes. */
const ACCESS: Record<ChangeKind, RouteAccess> = {
  agent: member('invoke', 'manage'),
  'bulk-replay': admin('manage'),
  'bulk-run-action': member('use', 'manage'),
  document: member('use', 'manage'),
  embedding: member('use', 'manage'),
  envelope: admin('manage'),
  job: member('invoke'),
  notification: admin('administer'),
  question: member('use', 'manage'),
  run: member('use', 'manage'),
  source: member('use', 'manage'),
  subscription: admin('manage'),
  task: member('use', 'manage'),
  tool: member('use', 'manage'),
  turn: member('invoke'),
  'webhook-delivery': admin('administer'),
};

/** Whom a change concerns. */
export interface Audience {
  kind: ChangeKind;
  /** Null: every member of the space. */
  audience: readonly (string | null)[] | null;
  forAdmins: boolean;
}

/** Whether a caller may list the kind at all. */
export function mayHearOf(caller: UserPrincipal, kind: ChangeKind): boolean {
  const access = (ACCESS as Partial<typeof ACCESS>)[kind];
  // A later version, which runs beside this one, may tell of more.
  if (access === undefined) return false;
  return refusal(access.rule, caller) === null && scopeRefusal(access, caller) === null;
}

/** Whether a caller learns of a change: only of what the routes would return to the caller. */
export function isFor(caller: UserPrincipal, { kind, audience, forAdmins }: Audience): boolean {
  if (!mayHearOf(caller, kind)) return false;
  if (audience === null || audience.includes(caller.userId)) return true;
  return forAdmins && caller.role === 'ADMIN';
}
