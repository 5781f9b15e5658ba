import type { Role } from '@platform/contracts';
import { IsNull, LessThan, type EntityManager } from 'typeorm';
import { updateRows } from '../../infra/database/entity-rows.ts';
import { affected, exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { InvitationEntity, type InvitationOutcome } from './invitation.entity.ts';

function invitations(tx: EntityManager) {
  return tx
    .createQueryBuilder(InvitationEntity, 'invitation')
    .innerJoinAndSelect('invitation.space', 'space')
    .innerJoin('invitation.inviter', 'inviter')
    .addSelect(['inviter.id', 'inviter.email', 'inviter.name']);
}

function page(tx: EntityManager, before: string | null, limit: number) {
  const query = invitations(tx).where({ endedAt: IsNull() }).orderBy('invitation.id', 'DESC').limit(limit);
  return before === null ? query : query.andWhere({ id: LessThan(before) });
}

/** The pending invitations of a space with ids below `before`, newest first. */
export function listPendingOfSpace(
  tx: EntityManager,
  spaceId: string,
  before: string | null,
  limit: number,
): Promise<InvitationEntity[]> {
  return page(tx, before, limit).andWhere({ spaceId }).getMany();
}

/** The pending invitations of an email address with ids below `before`, newest first. */
export function listPendingOfEmail(
  tx: EntityManager,
  email: string,
  before: string | null,
  limit: number,
): Promise<InvitationEntity[]> {
  return page(tx, before, limit).andWhere('lower(invitation.email) = lower(:email)', { email }).getMany();
}

/** Finds an invitation, pending or ended; returns null if it is for another address. */
export function findForEmail(tx: EntityManager, id: string, email: string): Promise<InvitationEntity | null> {
  return invitations(tx)
    .where({ id })
    .andWhere('lower(invitation.email) = lower(:email)', { email })
    .getOne();
}

/**
 * Whether an email address belongs to a member. Both lookups are made for every address, so that an address with an
 * account takes no longer than one without.
 */
export async function isMemberEmail(sql: Sql, spaceId: string, email: string): Promise<boolean> {
  const member = await firstRow(
    sql,
    `select 1 from membership where space_id = $1 and removed_at is null and user_id = coalesce(
       (select id from platform_user where lower(email) = lower($2)), '00000000-0000-0000-0000-000000000000')`,
    [spaceId, email],
  );
  return member !== null;
}

/** How many invitations of the space are pending, counted up to `most`. */
export async function countPending(sql: Sql, spaceId: string, most: number): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    sql,
    `select count(*)::int as count from (
       select 1 from invitation where space_id = $1 and ended_at is null limit $2
     ) pending`,
    [spaceId, most],
  );
  return count;
}

/** Seconds until the person has made no more than `most` invitations within an hour, or null if that is so now. */
export async function secondsToWait(sql: Sql, inviterId: string, most: number): Promise<number | null> {
  const excess = await firstRow<{ seconds: number }>(
    sql,
    `select ceil(extract(epoch from created_at + interval '1 hour' - clock_timestamp()))::int as seconds
     from invitation where invited_by = $1 and created_at > statement_timestamp() - interval '1 hour'
     order by created_at desc offset $2 limit 1`,
    [inviterId, most],
  );
  return excess && Math.max(1, excess.seconds);
}

/** Stores the pending invitation of an address with its latest role and inviter. `isNew`: there was none. */
export function upsertInvitation(
  tx: EntityManager,
  invitation: { spaceId: string; email: string; role: Role; inviterId: string },
): Promise<{ id: string; isNew: boolean }> {
  const { spaceId, email, role, inviterId } = invitation;
  return exactlyOne(
    tx,
    // xmax is 0 in a row that no transaction has changed or locked: one that was inserted just now.
    `insert into invitation (space_id, email, role, invited_by) values ($1, $2, $3, $4)
     on conflict (space_id, lower(email)) where ended_at is null
       do update set role = excluded.role, invited_by = excluded.invited_by
     returning id, xmax = 0 as is_new`,
    [spaceId, email, role, inviterId],
  );
}

const END = { endedAt: () => 'clock_timestamp()' };

/** Ends a pending invitation; returns false if it has already ended. */
export async function endInvitation(
  tx: EntityManager,
  id: string,
  outcome: InvitationOutcome,
): Promise<boolean> {
  const ended = await updateRows(tx, InvitationEntity, { id, endedAt: IsNull() }, { ...END, outcome });
  return ended.length > 0;
}

/** Withdraws a pending invitation of a space; returns null if there is none. */
export async function withdrawInvitation(
  tx: EntityManager,
  spaceId: string,
  id: string,
): Promise<InvitationEntity | null> {
  const pending = { spaceId, id, endedAt: IsNull() };
  const [ended] = await updateRows(tx, InvitationEntity, pending, { ...END, outcome: 'WITHDRAWN' });
  return ended ?? null;
}

/** Ends the invitation of an address that joined the space in another way. */
export async function endInvitationOf(tx: EntityManager, spaceId: string, email: string): Promise<void> {
  await rows(
    tx,
    `update invitation set ended_at = clock_timestamp(), outcome = 'ACCEPTED'
     where space_id = $1 and lower(email) = lower($2) and ended_at is null`,
    [spaceId, email],
  );
}

/** Withdraws the invitations of an admin who is demoted or removed: nobody joins by invitation of a former admin. */
export async function withdrawInvitationsBy(
  tx: EntityManager,
  spaceId: string,
  inviterId: string,
): Promise<void> {
  const pending = { spaceId, endedAt: IsNull(), invitedBy: inviterId };
  await updateRows(tx, InvitationEntity, pending, { ...END, outcome: 'WITHDRAWN' });
}

/** Deletes at most `limit` invitations that ended more than 30 days ago. The audit log keeps what happened. */
export function purgeEndedInvitations(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from invitation where id = any(array(
       select id from invitation where ended_at < statement_timestamp() - interval '30 days' limit $1))`,
    [limit],
  );
}
