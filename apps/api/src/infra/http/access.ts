import { SetMetadata } from '@nestjs/common';

/**
 * Who may call a route. `agent`: a user whom the agent's access rule lets in.
 * A route without a rule is refused: forgetting one must not open it.
 */
export type AccessRule = 'public' | 'member' | 'admin' | 'application' | 'agent';

export const ACCESS_RULE = 'platform:access';

/** States who may call the route, or every route of the controller. */
export const Access = (rule: AccessRule) => SetMetadata(ACCESS_RULE, rule);

/** Needs no credential. */
export const Public = () => Access('public');
