import type { ToolAuth, ToolAuthStatus } from '@platform/contracts';
import type { AuthValues } from './auth-kind.ts';
import { AUTH_KINDS } from './auth-kinds.ts';

/** Returns the values for a form. Secrets are write-only, so their field is empty. */
export function toAuthValues(auth: ToolAuth | ToolAuthStatus): AuthValues {
  return { type: auth.type, ...AUTH_KINDS[auth.type].toValues(auth) };
}

/** Returns the authentication for a request. An empty secret is left out, which keeps the stored one. */
export function toAuth(values: AuthValues): ToolAuth {
  return AUTH_KINDS[values.type].toAuth(values, values.secret === '' ? undefined : values.secret);
}

/** Whether a secret is stored for this type. */
export function hasSecret(auth: ToolAuthStatus | undefined, type: ToolAuth['type']): boolean {
  return auth?.type === type && 'configured' in auth && auth.configured;
}
