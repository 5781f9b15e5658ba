import type { UserState, UserSummary } from '@platform/contracts';
import type { PlatformConfig } from '../infra/config/platform-config.ts';
import { firstRow, type Sql } from '../infra/database/rows.ts';

export interface Account {
  id: string;
  email: string;
  name: string;
  passwordHash: string;
  passwordTemporary: boolean;
  installationAdmin: boolean;
}

const ACCOUNT = `
  select id, email, name, password_hash as "passwordHash", password_temporary as "passwordTemporary",
    installation_admin as "installationAdmin"
  from platform_user`;

export function findAccount(sql: Sql, email: string): Promise<Account | null> {
  return firstRow<Account>(sql, `${ACCOUNT} where lower(email) = lower($1)`, [email]);
}

/** The account of somebody who called, so it exists. */
export async function getAccount(sql: Sql, userId: string): Promise<Account> {
  const account = await firstRow<Account>(sql, `${ACCOUNT} where id = $1`, [userId]);
  if (!account) throw new Error(`User ${userId} has a credential but no account`);
  return account;
}

export const toUser = ({ id, email, name }: Account): UserSummary => ({ id, email, name });

export function toPersonState(account: Account, { spaceCreation }: PlatformConfig): UserState {
  const { passwordTemporary, installationAdmin } = account;
  return {
    passwordTemporary,
    installationAdmin,
    canCreateSpaces: spaceCreation === 'everyone' || installationAdmin,
  };
}
