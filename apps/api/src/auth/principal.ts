import type { Role } from '@platform/contracts';
import type { Request } from 'express';
import { unauthorized } from '../infra/http/app-error.ts';

interface Caused {
  /** The run whose step makes this call; null for everybody else. */
  causationRunId: string | null;
}

/** A person in one space, by API key or by access token. */
export interface UserPrincipal extends Caused {
  kind: 'user';
  userId: string;
  spaceId: string;
  role: Role;
  /** `internal`: the platform itself acts for the person, without a request. */
  credential: { kind: 'api-key' | 'access-token' | 'internal'; id: string };
  /** Signed in by a password that somebody else chose: may change it, and nothing else. */
  passwordTemporary?: boolean;
}

/** An installed application in one space, by its system key. */
export interface ApplicationPrincipal extends Caused {
  kind: 'application';
  applicationId: string;
  identifier: string;
  spaceId: string;
  credential: { kind: 'system-key'; id: string };
}

/** Who is calling. */
export type Principal = UserPrincipal | ApplicationPrincipal;

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by the authentication middleware; absent on public routes. */
    principal?: Principal;
  }
}

/** The calling user; the access guard has already kept everybody else away. */
export function userOf(req: Request): UserPrincipal {
  if (req.principal?.kind !== 'user') throw unauthorized('This call needs a user credential');
  return req.principal;
}
