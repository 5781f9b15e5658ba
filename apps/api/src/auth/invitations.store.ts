import type { Role } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';

export type InvitationOutcome = 'ACCEPTED' | 'DECLINED' | 'WITHDRAWN';

export interface InvitationRow {
  id: string;
  spaceId: string;
  spaceName: string;
  email: string;
  role: Role;
  inviterId: string;
  inviterEmail: string;
  inviterName: string;
  createdAt: Date;
  outcome: InvitationOutcome | null;
}

const INVITATIONS = `
  select i.id, i.space_id as "spaceId", s.name as "spaceName", i.email, i.role, u.id as "inviterId",
    u.email as "inviterEmail", u.name as "inviterName", i.created_at as "createdAt", i.outcome
  from invitation i join space s on s.id = i.space_id join platform_user u on u.id = i.invited_by`;

/** The pending ones of a space, the newest first. */
export function pendingOfSpace(
  sql: Sql,
  spaceId: string,
  after: string | null,
  limit: number,
): Promise<InvitationRow[]> {
  return rows<InvitationRow>(
    sql,
    `${INVITATIONS} where i.space_id = $1 and i.ended_at is null and ($2::uuid is null or i.id < $2)
     order by i.id desc limit $3`,
    [spaceId, after, limit],
  );
}

/** The pending ones of an address, the newest first. */
export function pendingOfAddress(
  sql: Sql,
  email: string,
  after: string | null,
  limit: number,
): Promise<InvitationRow[]> {
  return rows<InvitationRow>(
    sql,
    `${INVITATIONS} where lower(i.email) = lower($1) and i.ended_at is null and ($2::uuid is null or i.id < $2)
     order by i.id desc limit $3`,
    [email, after, limit],
  );
}

/** Pending or ended; null if it is not for this address. */
export function findForAddress(sql: Sql, id: string, email: string): Promise<InvitationRow | null> {
  return firstRow<InvitationRow>(sql, `${INVITATIONS} where i.id = $1 and lower(i.email) = lower($2)`, [
    id,
    email,
  ]);
}

/**
 * Whether an address belongs to a member. Both lookups are made for every address, so that an address with an
 * account takes no longer than one without.
 */
export async function isMemberAddress(sql: Sql, spaceId: string, email: string): Promise<boolean> {
  const member = await firstRow(
    sql,
    `select 1 from membership where space_id = $1 and removed_at is null and user_id = coalesce(
       (select id from platform_user where lower(email) = lower($2)), '00000000-0000-0000-0000-000000000000')`,
    [spaceId, email],
  );
  return member !== null;
}

/** How many are pending in the space, counted up to `most`. */
export async function countPending(sql: Sql, spaceId: string, most: number): Promise<number> {
  const found = await firstRow<{ count: number }>(
    sql,
    `select count(*)::int as count from (
       select 1 from invitation where space_id = $1 and ended_at is null limit $2
     ) pending`,
    [spaceId, most],
  );
  return found?.count ?? 0;
}

/** Seconds until the person has made no more than `most` invitations within an hour; null: that is so now. */
export async function secondsToWait(sql: Sql, inviterId: string, most: number): Promise<number | null> {
  const excess = await firstRow<{ seconds: number }>(
    sql,
    `select ceil(extract(epoch from created_at + interval '1 hour' - clock_timestamp()))::int as seconds
     from invitation where invited_by = $1 and created_at > clock_timestamp() - interval '1 hour'
     order by created_at desc offset $2 limit 1`,
    [inviterId, most],
  );
  return excess && Math.max(1, excess.seconds);
}

/** The pending invitation of an address, with its latest role and inviter; `isNew` if there was none. */
export async function putInvitation(
  tx: EntityManager,
  invitation: { spaceId: string; email: string; role: Role; inviterId: string },
): Promise<{ id: string; isNew: boolean }> {
  const { spaceId, email, role, inviterId } = invitation;
  const stored = await firstRow<{ id: string; isNew: boolean }>(
    tx,
    // xmax is 0 in a row that no transaction has changed or locked: one that was inserted just now.
    `insert into invitation (space_id, email, role, invited_by) values ($1, $2, $3, $4)
     on conflict (space_id, lower(email)) where ended_at is null
       do update set role = excluded.role, invited_by = excluded.invited_by
     returning id, xmax = 0 as "isNew"`,
    [spaceId, email, role, inviterId],
  );
  if (!stored) throw new Error('The invitation was not stored');
  return stored;
}

/** False if it has ended already. */
export async function endInvitation(
  tx: EntityManager,
  id: string,
  outcome: InvitationOutcome,
): Promise<boolean> {
  const ended = await firstRow(
    tx,
    `update invitation set ended_at = clock_timestamp(), outcome = $2 where id = $1 and ended_at is null
     returning id`,
    [id, outcome],
  );
  return ended !== null;
}

/** For an address that joined the space in another way. */
export async function endInvitationOf(tx: EntityManager, spaceId: string, email: string): Promise<void> {
  await rows(
    tx,
    `update invitation set ended_at = clock_timestamp(), outcome = 'ACCEPTED'
     where space_id = $1 and lower(email) = lower($2) and ended_at is null`,
    [spaceId, email],
  );
}

/** For an admin who is demoted or removed: nobody joins on the word of a former admin. */
export async function withdrawInvitationsBy(
  tx: EntityManager,
  spaceId: string,
  inviterId: string,
): Promise<number> {
  const withdrawn = await rows(
    tx,
    `update invitation set ended_at = clock_timestamp(), outcome = 'WITHDRAWN'
     where space_id = $1 and ended_at is null and invited_by = $2 returning id`,
    [spaceId, inviterId],
  );
  return withdrawn.length;
}

/** Removes invitations that ended more than 30 days ago, in batches; the audit log keeps what happened. */
export async function removeEndedInvitations(sql: Sql): Promise<void> {
  const batch = 1000;
  for (let removed = batch; removed === batch;) {
    const gone = await rows(
      sql,
      `delete from invitation where id in (
         select id from invitation where ended_at < clock_timestamp() - interval '30 days' limit $1
       ) returning id`,
      [batch],
    );
    removed = gone.length;
  }
}
