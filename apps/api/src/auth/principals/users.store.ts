import type { UserState, UserSummary } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { PlatformConfig } from '../../infra/config/platform-config.ts';
import { firstRow } from '../../infra/database/rows.ts';
import { UserEntity } from './user.entity.ts';

/** Finds the account of an email address, in upper or lower case. */
export function findUserByEmail(tx: EntityManager, email: string): Promise<UserEntity | null> {
  return tx
    .createQueryBuilder(UserEntity, 'user')
    .where('lower(user.email) = lower(:email)', { email })
    .getOne();
}

/** Keeps the password from being changed until the transaction ends. False if it is no longer that of the account. */
export async function lockPassword(
  tx: EntityManager,
  { id, passwordHash }: Pick<UserEntity, 'id' | 'passwordHash'>,
): Promise<boolean> {
  const locked = await firstRow(
    tx,
    'select 1 from platform_user where id = $1 and password_hash = $2 for share',
    [id, passwordHash],
  );
  return locked !== null;
}

/** Returns the account of a caller. It exists: accounts are never deleted. */
export async function getUser(tx: EntityManager, userId: string): Promise<UserEntity> {
  const user = await tx.findOneBy(UserEntity, { id: userId });
  if (!user) throw new Error(`User ${userId} has a credential but no account`);
  return user;
}

export function toUser({ id, email, name }: UserSummary): UserSummary {
  return { id, email, name };
}

export function toUserState(user: UserEntity, { spaceCreation }: PlatformConfig): UserState {
  const { passwordTemporary, installationAdmin } = user;
  return {
    passwordTemporary,
    installationAdmin,
    canCreateSpaces: spaceCreation === 'everyone' || installationAdmin,
  };
}
