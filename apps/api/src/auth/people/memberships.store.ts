import type { Role } from '@platform/contracts';
import { IsNull, LessThan, type EntityManager } from 'typeorm';
import { updateRows } from '../../infra/database/entity-rows.ts';
import { firstRow, keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { ApiKeyEntity } from '../credentials/api-key.entity.ts';
import { revokeGrantsOf } from '../grants/oauth-grants.store.ts';
import {
  byName,
  byTime,
  selectPart,
  type ListPart,
  type NamedList,
} from '../../infra/requests/named-lists.ts';
import { withdrawInvitationsBy } from './invitations.store.ts';
import { MembershipEntity } from '../principals/membership.entity.ts';
import { UserEntity } from '../principals/user.entity.ts';

/** The members of a space, with their users. */
function members(tx: EntityManager, spaceId: string) {
  return tx
    .createQueryBuilder(MembershipEntity, 'member')
    .innerJoin('member.user', 'user')
    .addSelect(['user.id', 'user.email', 'user.name', 'user.installationAdmin'])
    .where({ spaceId, removedAt: IsNull() });
}

/** The spaces of a person, with the membership in each. */
function memberships(tx: EntityManager, userId: string) {
  return tx
    .createQueryBuilder(MembershipEntity, 'member')
    .innerJoinAndSelect('member.space', 'space')
    .where({ userId, removedAt: IsNull() });
}

/** How members are searched and sorted. By name, those of the space are read and sorted, not those of all others. */
export const MEMBER_LIST: NamedList<MembershipEntity> = {
  id: 'member.user_id',
  idOf: ({ userId }) => userId,
  text: `user.name || ' ' || user.email`,
  keys: {
    name: byName('user.name', ({ user }) => user.name),
    createdAt: byTime('member.created_at', ({ createdAt }) => createdAt.toISOString()),
  },
};

export function listMembers(tx: EntityManager, spaceId: string, part: ListPart): Promise<MembershipEntity[]> {
  return selectPart(members(tx, spaceId), MEMBER_LIST, part).getMany();
}

/** All members, by name. */
export function listAllMembers(tx: EntityManager, spaceId: string): Promise<MembershipEntity[]> {
  return members(tx, spaceId).orderBy('user.name').addOrderBy('user.id').getMany();
}

/** Finds members by a part of their names or addresses. The members of a space are read, not those of all others. */
export function findMembers(
  sql: Sql,
  spaceId: string,
  text: string,
  limit: number,
): Promise<Pick<UserEntity, 'id' | 'name' | 'email'>[]> {
  return rows(
    sql,
    `select u.id, u.name, u.email from membership m join platform_user u on u.id = m.user_id
     where m.space_id = $1 and m.removed_at is null
       and (strpos(lower(u.name), lower($2)) > 0 or strpos(lower(u.email), lower($2)) > 0 or u.id::text = lower($2))
     limit $3`,
    [spaceId, text, limit],
  );
}

export function findMember(
  tx: EntityManager,
  spaceId: string,
  userId: string,
): Promise<MembershipEntity | null> {
  return members(tx, spaceId).andWhere({ userId }).getOne();
}

/** The spaces of a person with ids below `before`, newest space first. */
export function listSpaces(
  tx: EntityManager,
  userId: string,
  before: string | null,
  limit: number,
): Promise<MembershipEntity[]> {
  const query = memberships(tx, userId).orderBy('member.spaceId', 'DESC').limit(limit);
  if (before !== null) query.andWhere({ spaceId: LessThan(before) });
  return query.getMany();
}

/** The first spaces that a person joined, in that order. */
export function listFirstSpaces(
  tx: EntityManager,
  userId: string,
  limit: number,
): Promise<MembershipEntity[]> {
  return memberships(tx, userId)
    .orderBy('member.createdAt')
    .addOrderBy('member.spaceId')
    .limit(limit)
    .getMany();
}

/** The membership of a person in one space, with the space. */
export function findMembership(
  tx: EntityManager,
  userId: string,
  spaceId: string,
): Promise<MembershipEntity | null> {
  return memberships(tx, userId).andWhere({ spaceId }).getOne();
}

/** The role of each person in the space beside, null without one. Every step of a run reads that of its owner. */
export async function findRoles(
  tx: EntityManager,
  people: readonly { spaceId: string; userId: string }[],
): Promise<(Role | null)[]> {
  const distinct = [...new Map(people.map((person) => [keyOf(person), person])).values()];
  const found = await keptPlanRows<{ spaceId: string; userId: string; role: Role }>(
    tx,
    'auth.roles',
    `select m.space_id, m.user_id, m.role
     from unnest($1::uuid[], $2::uuid[]) as p(space_id, user_id)
       join membership m on m.space_id = p.space_id and m.user_id = p.user_id
     where m.removed_at is null and m.space_id = any($1::uuid[]) and m.user_id = any($2::uuid[])`,
    [distinct.map(({ spaceId }) => spaceId), distinct.map(({ userId }) => userId)],
  );
  const roles = new Map(found.map((member) => [keyOf(member), member.role]));
  return people.map((person) => roles.get(keyOf(person)) ?? null);
}

const keyOf = ({ spaceId, userId }: { spaceId: string; userId: string }) => `${spaceId} ${userId}`;

/** Adds a person to a space, or brings a removed member back. Returns whether the person was not a member. */
export async function insertMembership(
  tx: EntityManager,
  spaceId: string,
  userId: string,
  role: Role,
): Promise<boolean> {
  const joined = await firstRow(
    tx,
    `insert into membership (space_id, user_id, role) values ($1, $2, $3)
     on conflict (space_id, user_id) do update
       set role = excluded.role, removed_at = null, created_at = clock_timestamp()
       where membership.removed_at is not null
     returning user_id`,
    [spaceId, userId, role],
  );
  return joined !== null;
}

/** Requires the lock of the space. Throws CONFLICT for its last admin. */
export async function updateRole(
  tx: EntityManager,
  spaceId: string,
  userId: string,
  role: Role,
): Promise<void> {
  if (role !== 'ADMIN') {
    await assertOtherAdmin(tx, spaceId, userId);
    await withdrawInvitationsBy(tx, spaceId, userId);
  }
  await tx.update(MembershipEntity, { spaceId, userId }, { role });
}

/** Requires the lock of the installation. Throws CONFLICT for the last administrator who can sign in. */
export async function updateInstallationAdmin(
  tx: EntityManager,
  userId: string,
  installationAdmin: boolean,
): Promise<void> {
  if (!installationAdmin) await assertOtherInstallationAdmin(tx, userId, null);
  await tx.update(UserEntity, { id: userId }, { installationAdmin });
}

/**
 * Ends a membership with the API keys, clients, and pending invitations that the person made in the space, and the person's
 * sign-ins if this was the last space.
 */
export async function endMembership(tx: EntityManager, spaceId: string, userId: string): Promise<void> {
  const now = () => 'clock_timestamp()';
  await tx.update(MembershipEntity, { spaceId, userId }, { removedAt: now });
  // The old keys stay revoked even if the person comes back.
  await updateRows(tx, ApiKeyEntity, { spaceId, userId, revokedAt: IsNull() }, { revokedAt: now });
  await revokeGrantsOf(tx, spaceId, userId);
  await rows(
    tx,
    `update refresh_session set revoked_at = clock_timestamp()
     where user_id = $1 and revoked_at is null
       and not exists (select 1 from membership where user_id = $1 and removed_at is null)`,
    [userId],
  );
  await withdrawInvitationsBy(tx, spaceId, userId);
}

/** Throws CONFLICT unless the space has an admin besides this one. */
export async function assertOtherAdmin(tx: EntityManager, spaceId: string, userId: string): Promise<void> {
  const other = await firstRow(
    tx,
    `select 1 from membership
     where space_id = $1 and user_id <> $2 and role = 'ADMIN' and removed_at is null limit 1`,
    [spaceId, userId],
  );
  if (!other) throw conflict('The space needs another admin first');
}

/**
 * Throws CONFLICT unless the installation has an administrator besides this one who can sign in. A person who leaves one
 * space can still sign in to another.
 */
export async function assertOtherInstallationAdmin(
  tx: EntityManager,
  userId: string,
  leavingSpaceId: string | null,
): Promise<void> {
  const other = await firstRow(
    tx,
    `select 1 from platform_user u join membership m on m.user_id = u.id and m.removed_at is null
     where u.installation_admin and (u.id <> $1 or m.space_id <> $2) limit 1`,
    [userId, leavingSpaceId],
  );
  if (!other) throw conflict('The installation needs another administrator first');
}
