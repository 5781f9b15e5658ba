import type { TurnStatus } from '@platform/contracts';
import { IsNull, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { SessionEntity } from '../records/session.entity.ts';
import type { StepContent } from '../records/steps.ts';

/** Whose sessions of which agent. */
export interface SessionScope {
  agentId: string;
  userId: string;
}

/** A session with the client's id of the turn that it runs. */
export interface ListedSession {
  session: SessionEntity;
  runningTurnId: string | null;
  /** The time of the last turn as text: a Date would lose its microseconds. */
  position: string;
}

/** The user's sessions after a position, the latest first. */
export function listSessions(
  sql: EntityManager,
  scope: SessionScope,
  after: { position: string; id: string } | null,
  limit: number,
): Promise<ListedSession[]> {
  const query = sessionsOf(sql, scope, { hidden: false })
    .orderBy('s.lastTurnAt', 'DESC')
    .addOrderBy('s.id', 'DESC')
    .limit(limit);
  if (after !== null)
    query.andWhere('(s.lastTurnAt, s.id) < (:position::timestamptz, :id::uuid)', { ...after });
  return read(query);
}

export async function findSession(
  sql: EntityManager,
  scope: SessionScope,
  name: string,
): Promise<ListedSession | null> {
  const [found] = await read(sessionsOf(sql, scope, { name, hidden: false }));
  return found ?? null;
}

/** Finds a session also if it is in no list, as that of an execution without memory. */
export async function findSessionId(
  sql: EntityManager,
  { agentId, userId }: SessionScope,
  name: string,
): Promise<string | null> {
  const where = { agentId, userId, name, deletedAt: IsNull() };
  const found = await sql.findOne(SessionEntity, { select: { id: true }, where });
  return found?.id ?? null;
}

function sessionsOf(
  sql: EntityManager,
  { agentId, userId }: SessionScope,
  which: Partial<Pick<SessionEntity, 'name' | 'hidden'>>,
): SelectQueryBuilder<SessionEntity> {
  return sql
    .createQueryBuilder(SessionEntity, 's')
    .addSelect('cast(s.lastTurnAt as text)', 'position')
    .addSelect(
      `(select client_turn_id from turn where session_id = s.id and status = 'RUNNING')`,
      'runningTurnId',
    )
    .where({ agentId, userId, deletedAt: IsNull(), ...which });
}

async function read(query: SelectQueryBuilder<SessionEntity>): Promise<ListedSession[]> {
  const { entities, raw } =
    await query.getRawAndEntities<Pick<ListedSession, 'position' | 'runningTurnId'>>();
  return entities.flatMap((session, i) => {
    const row = raw[i];
    return row ? [{ session, position: row.position, runningTurnId: row.runningTurnId }] : [];
  });
}

export async function renameSession(sql: Sql, id: string, title: string): Promise<void> {
  await rows(sql, 'update session set title = $2 where id = $1', [id, title]);
}

/** Deletes a session unless a turn of it runs or is queued. Returns whether it was deleted. */
export async function deleteSession(tx: Sql, id: string): Promise<boolean> {
  // A start locks its session too: only a statement that begins after that commit sees the turn.
  await rows(tx, 'select from session where id = $1 for update', [id]);
  const deleted = await firstRow(
    tx,
    `update session s set deleted_at = clock_timestamp() where s.id = $1 and not exists
       (select from turn where session_id = s.id and status in ('RUNNING', 'QUEUED')) returning id`,
    [id],
  );
  return deleted !== null;
}

/** A step that is a message. */
export type MessageRow = Extract<StepContent, { kind: 'user' | 'model' | 'partial' }> & {
  id: string;
  turnId: string;
  /** The place of its turn in the session. */
  turn: number;
  n: number;
  status: TurnStatus;
  createdAt: Date;
  /** Whether it fits into the page; the first message that does not comes without its content. */
  fits: boolean;
};

/** The messages of a session before a position, newest first, in about `maxBytes` and at least one. */
export function listMessages(
  sql: Sql,
  sessionRef: string,
  before: { turn: number; n: number } | null,
  limit: number,
  maxBytes: number,
): Promise<MessageRow[]> {
  return rows(
    sql,
    `with listed as (
       select i.id, t.client_turn_id, t.n as turn, i.n, t.status, i.kind, i.created_at,
         coalesce(i.bytes, octet_length(i.content::text)) as bytes
       from turn t join turn_step i on i.turn_id = t.id
       where t.session_id = $1
         and (i.kind = 'user' or (i.kind in ('model', 'partial') and not i.is_silent))
         and ($2::int is null or (t.n, i.n) < ($2, $3::int))
       order by t.n desc, i.n desc limit $4
     ), sized as (
       select *, row_number() over latest as place, sum(bytes) over latest as through
       from listed window latest as (order by turn desc, n desc)
     ), cut as (
       select *, through <= $5 or place = 1 as fits from sized where through - bytes <= $5 or place <= 2
     )
     select id, client_turn_id as turn_id, turn, n, status, kind, created_at, fits,
       case when fits then (select content from turn_step where id = cut.id) end as content
     from cut order by turn desc, n desc`,
    [sessionRef, before?.turn ?? null, before?.n ?? null, limit, maxBytes],
  );
}
