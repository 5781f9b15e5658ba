import type { EntityManager } from 'typeorm';
import { firstRow } from '../../infra/database/rows.ts';
import { unauthorized } from '../../infra/errors/app-error.ts';
import type { UserPrincipal } from '../principals/principal.ts';

/**
 * Locks the membership and the credential of the caller until the transaction ends, and returns when the credential
 * expires. Without the lock, a key that is created during a removal, a revocation, or a change of the password would
 * outlive it. Throws UNAUTHORIZED if one of those came first.
 */
export async function lockCaller(tx: EntityManager, by: UserPrincipal): Promise<Date | null> {
  const person = await firstRow(
    tx,
    `select 1 from platform_user u join membership m on m.user_id = u.id
     where u.id = $1 and m.space_id = $2 and m.removed_at is null for share`,
    [by.userId, by.spaceId],
  );
  if (!person) throw ended();
  switch (by.credential.kind) {
    case 'internal':
      return null;
    case 'access-token': {
      const session = await firstRow(
        tx,
        'select 1 from refresh_session where id = $1 and revoked_at is null for share',
        [by.credential.id],
      );
      if (!session) throw ended();
      return null;
    }
    case 'api-key': {
      const key = await firstRow<{ expiresAt: Date | null }>(
        tx,
        'select expires_at from api_key where id = $1 and revoked_at is null for share',
        [by.credential.id],
      );
      if (!key) throw ended();
      return key.expiresAt;
    }
  }
}

const ended = () => unauthorized('This credential is no longer valid');
