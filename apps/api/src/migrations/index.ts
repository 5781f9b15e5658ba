import { Foundation1763600000001 } from './0001-foundation.ts';
import { Auth1763600000002 } from './0002-auth.ts';

/** Every migration in its order; listed by hand, so that a file left behind never runs. */
export const migrations = [Foundation1763600000001, Auth1763600000002];
