import { SetMetadata } from '@nestjs/common';

/**
 * Who may call a route. `agent`: a user whom the agent's access rule lets in.
 * A route without a rule admits nobody, so that a forgotten rule does not open it.
 */
export type AccessRule = 'public' | 'member' | 'admin' | 'application' | 'agent';

export const ACCESS_RULE = 'platform:access';

/** States who may call the route, or every route of the controller. */
export const Access = (rule: AccessRule) => SetMetadata(ACCESS_RULE, rule);

/** Requires no credential. */
export const Public = () => Access('public');
