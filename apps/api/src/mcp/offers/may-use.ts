import type { KeyScope } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';

/** Whether a credential has one of the scopes, which are those of the routes that do the same. */
export function mayUse({ credential }: UserPrincipal, ...scopes: KeyScope[]): boolean {
  return credential.kind !== 'api-key' || scopes.some((scope) => credential.scopes.includes(scope));
}
