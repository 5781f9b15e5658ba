import type { ToolAuthStatus } from '@platform/contracts';
import { AppError } from '../../../infra/errors/app-error.ts';
import { OutgoingError } from '../../../infra/outgoing/guarded-http.ts';
import { apiKey } from './api-key.ts';
import type { AuthCall, AuthKind, AuthParts } from './auth-kind.ts';
import { basic } from './basic.ts';
import { bearer } from './bearer.ts';
import { connection } from './connection.ts';
import { header } from './header.ts';
import { none } from './none.ts';

export const authKinds: ReadonlyMap<unknown, AuthKind> = new Map(
  [none, apiKey, bearer, basic, header, connection].map((kind: AuthKind) => [kind.type, kind]),
);

export function authKindOf({ type }: { type: string }): AuthKind {
  const kind = authKinds.get(type);
  if (kind === undefined) throw new Error(`Tools do not authenticate with ${type}`);
  return kind;
}

const NOT_GRANTED = 'The server that grants access to the tool could not be reached';

/** Builds the authentication of a call. Throws TOOL_ERROR if a server that takes part in it sends nothing usable. */
export async function authenticate(
  auth: ToolAuthStatus,
  secret: string | null,
  call: AuthCall,
): Promise<AuthParts> {
  const kind = authKindOf(auth);
  if (secret === null && kind.secret !== null) return { headers: [], query: [], cookies: [], secrets: [] };
  try {
    return await kind.apply({ ...auth }, secret ?? '', call);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    // Without the cause, which can repeat the secret.
    throw new AppError('TOOL_ERROR', NOT_GRANTED);
  }
}
