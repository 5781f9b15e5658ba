import { SetMetadata } from '@nestjs/common';
import type { KeyScope } from '@platform/contracts';

/**
 * Who may call a route. `agent`: a user whom the agent's access rule lets in.
 * A route without a rule admits nobody, so that a forgotten rule does not open it.
 */
export type AccessRule = 'public' | 'member' | 'admin' | 'application' | 'agent';

export interface RouteAccess {
  rule: AccessRule;
  /** An API key needs one of them. If there is none, no API key may call the route. */
  scopes: readonly KeyScope[];
}

export const ROUTE_ACCESS = 'platform:access';

/** States who may call the route, or every route of the controller, and which scopes allow an API key to. */
export const Access = (rule: AccessRule, ...scopes: KeyScope[]) =>
  SetMetadata(ROUTE_ACCESS, { rule, scopes } satisfies RouteAccess);

/** Requires no credential. */
export const Public = () => Access('public');
