import type { KeyScope, Role } from '@platform/contracts';
import type { Request } from 'express';
import { unauthorized } from '../../infra/errors/app-error.ts';

interface Caused {
  /** The run whose step makes this call; null for any other call. */
  causationRunId: string | null;
}

/** A person in one space, with an API key, an access token, or a client that the person has let in (`oauth`). */
export interface UserPrincipal extends Caused {
  kind: 'user';
  userId: string;
  spaceId: string;
  role: Role;
  /** `internal`: the platform itself acts for the person, without a request. */
  credential:
    | { kind: 'api-key' | 'oauth'; id: string; scopes: readonly KeyScope[] }
    | { kind: 'access-token' | 'internal'; id: string };
  /** Whether someone else chose the password: the caller may only change it. */
  passwordTemporary?: boolean;
}

/** An application of one space, with its system key. */
export interface ApplicationPrincipal extends Caused {
  kind: 'application';
  applicationId: string;
  identifier: string;
  /** False if it was uninstalled; its key stays valid. */
  isInstalled: boolean;
  spaceId: string;
  credential: { kind: 'system-key'; id: string };
}

/** Who is calling. */
export type Principal = UserPrincipal | ApplicationPrincipal;

/** Whether the credential has one of the scopes, or is not limited by scopes. */
export function hasScope({ credential }: Principal, ...scopes: readonly KeyScope[]): boolean {
  return !('scopes' in credential) || scopes.some((scope) => credential.scopes.includes(scope));
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by the authentication middleware; absent on public routes. */
    principal?: Principal;
  }
}

/** Returns the calling user. The access guard has already refused any other caller. */
export function userOf(req: Request): UserPrincipal {
  if (req.principal?.kind !== 'user') throw unauthorized('This call needs a user credential');
  return req.principal;
}

/** Returns the calling application. The access guard has already refused any other caller. */
export function applicationOf(req: Request): ApplicationPrincipal {
  if (req.principal?.kind !== 'application') throw unauthorized('This call needs the key of an application');
  return req.principal;
}
