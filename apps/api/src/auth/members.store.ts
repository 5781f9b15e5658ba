import type { Role } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { conflict } from '../infra/http/app-error.ts';
import { withdrawInvitationsBy } from './invitations.store.ts';

export interface MemberRow {
  id: string;
  email: string;
  name: string;
  role: Role;
  installationAdmin: boolean;
  createdAt: Date;
}

const MEMBERS = `
  select u.id, u.email, u.name, m.role, u.installation_admin as "installationAdmin", m.created_at as "createdAt"
  from membership m join platform_user u on u.id = m.user_id
  where m.space_id = $1 and m.removed_at is null`;

/** The newest account first. */
export function listMembers(
  sql: Sql,
  spaceId: string,
  after: string | null,
  limit: number,
): Promise<MemberRow[]> {
  return rows<MemberRow>(
    sql,
    `${MEMBERS} and ($2::uuid is null or m.user_id < $2) order by m.user_id desc limit $3`,
    [spaceId, after, limit],
  );
}

export function findMember(sql: Sql, spaceId: string, userId: string): Promise<MemberRow | null> {
  return firstRow<MemberRow>(sql, `${MEMBERS} and m.user_id = $2`, [spaceId, userId]);
}

/** Under the lock of the space; 409 for its last admin. */
export async function changeRole(
  tx: EntityManager,
  spaceId: string,
  userId: string,
  role: Role,
): Promise<void> {
  if (role !== 'ADMIN') {
    await keepAnAdmin(tx, spaceId, userId);
    await withdrawInvitationsBy(tx, spaceId, userId);
  }
  await rows(tx, 'update membership set role = $3 where space_id = $1 and user_id = $2', [
    spaceId,
    userId,
    role,
  ]);
}

/** Under the lock of the installation; 409 for the last one who can sign in. */
export async function setInstallationAdmin(
  tx: EntityManager,
  userId: string,
  installationAdmin: boolean,
): Promise<void> {
  if (!installationAdmin) await keepAnInstallationAdmin(tx, userId, null);
  await rows(tx, 'update platform_user set installation_admin = $2 where id = $1', [
    userId,
    installationAdmin,
  ]);
}

/** Ends the membership, the keys and the invitations that the person made, and the sign-ins of a member of none. */
export async function endMembership(tx: EntityManager, spaceId: string, userId: string): Promise<void> {
  const member = [spaceId, userId];
  await rows(
    tx,
    'update membership set removed_at = clock_timestamp() where space_id = $1 and user_id = $2',
    member,
  );
  // Should the person ever come back, the old keys stay dead.
  await rows(
    tx,
    `update api_key set revoked_at = clock_timestamp()
     where space_id = $1 and user_id = $2 and revoked_at is null`,
    member,
  );
  await rows(
    tx,
    `update refresh_session set revoked_at = clock_timestamp()
     where user_id = $1 and revoked_at is null
       and not exists (select 1 from membership where user_id = $1 and removed_at is null)`,
    [userId],
  );
  await withdrawInvitationsBy(tx, spaceId, userId);
}

export async function keepAnAdmin(tx: EntityManager, spaceId: string, exceptUserId: string): Promise<void> {
  const other = await firstRow(
    tx,
    `select 1 from membership
     where space_id = $1 and user_id <> $2 and role = 'ADMIN' and removed_at is null limit 1`,
    [spaceId, exceptUserId],
  );
  if (!other) throw conflict('The space needs another admin first');
}

/** Who leaves one space can still sign in to another; who belongs to none cannot. */
export async function keepAnInstallationAdmin(
  tx: EntityManager,
  exceptUserId: string,
  leavingSpaceId: string | null,
): Promise<void> {
  const other = await firstRow(
    tx,
    `select 1 from platform_user u join membership m on m.user_id = u.id and m.removed_at is null
     where u.installation_admin and (u.id <> $1 or m.space_id <> $2) limit 1`,
    [exceptUserId, leavingSpaceId],
  );
  if (!other) throw conflict('The installation needs another administrator first');
}
