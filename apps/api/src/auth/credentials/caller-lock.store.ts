import type { Role } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { firstRow } from '../../infra/database/rows.ts';
import { unauthorized } from '../../infra/errors/app-error.ts';
import type { UserPrincipal } from '../principals/principal.ts';

/**
 * Locks the membership and the sign-in of the caller until the transaction ends, and returns the role. Without the lock, a
 * key that is created during a removal, a change of the role, or a change of the password would outlive it. Throws
 * UNAUTHORIZED if one of those came first.
 */
export async function lockCaller(tx: EntityManager, by: UserPrincipal): Promise<Role> {
  const person = await firstRow<{ role: Role }>(
    tx,
    `select m.role from platform_user u join membership m on m.user_id = u.id
     where u.id = $1 and m.space_id = $2 and m.removed_at is null for share`,
    [by.userId, by.spaceId],
  );
  const session = await firstRow(
    tx,
    'select 1 from refresh_session where id = $1 and revoked_at is null for share',
    [by.credential.id],
  );
  if (!person || !session) throw unauthorized('This credential is no longer valid');
  return person.role;
}
