import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { Question, UserAnswer } from '../questions/question.ts';

/** How long a question waits for its answer, and how long a call waits for what it needs from a person. */
const EXPIRES = { question: '7 days', need: '30 days' };

export interface InteractionRow {
  id: string;
  turnRef: string;
  callId: string;
  question: Question;
  status: 'PENDING' | 'ANSWERED' | 'DISMISSED' | 'EXPIRED';
  answer: UserAnswer | null;
  /** The stream that the response of the user opened. */
  segment: number | null;
  createdAt: Date;
  expiresAt: Date;
}

// A question can have expired before the sweeper marks it.
const COLUMNS = `i.id, i.turn_id as turn_ref, i.call_id, i.question,
  case when i.status = 'PENDING' and i.expires_at <= clock_timestamp() then 'EXPIRED' else i.status end as status,
  i.answer, i.segment, i.created_at, i.expires_at`;

/** Stores a question. Violates `interaction_pending` if the turn already has one. */
export async function insertInteraction(
  tx: Sql,
  turnRef: string,
  callId: string,
  question: Question,
): Promise<InteractionRow> {
  const row = await firstRow<InteractionRow>(
    tx,
    `insert into interaction as i (turn_id, call_id, question, status, expires_at)
     values ($1, $2, $3, 'PENDING', clock_timestamp() + $4::interval) returning ${COLUMNS}`,
    [turnRef, callId, JSON.stringify(question), question.need ? EXPIRES.need : EXPIRES.question],
  );
  if (row === null) throw new Error('A question was not stored');
  return row;
}

export function findInteraction(sql: Sql, turnRef: string, id: string): Promise<InteractionRow | null> {
  return firstRow(sql, `select ${COLUMNS} from interaction i where i.turn_id = $1 and i.id = $2`, [
    turnRef,
    id,
  ]);
}

/** The question with which a segment ended: the last one before the next segment began. */
export function findInteractionOfSegment(
  sql: Sql,
  turnRef: string,
  segment: number,
): Promise<InteractionRow | null> {
  return firstRow(
    sql,
    `select ${COLUMNS} from interaction i
     where i.turn_id = $1 and i.created_at <= coalesce((
       select min(later.created_at) from turn_segment later where later.turn_id = $1 and later.segment > $2
     ), 'infinity')
     order by i.created_at desc limit 1`,
    [turnRef, segment],
  );
}

/** Whether a question is pending, which it stays until the transaction ends. */
export async function lockPending(tx: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    tx,
    `select id from interaction where id = $1 and status = 'PENDING' for share`,
    [id],
  );
  return row !== null;
}

/** PENDING → ANSWERED. Returns false if the question was already answered, has ended, or has expired. */
export async function answerInteraction(
  tx: Sql,
  id: string,
  answer: UserAnswer,
  segment: number,
): Promise<boolean> {
  const row = await firstRow(
    tx,
    `update interaction set status = 'ANSWERED', answer = $2, segment = $3, ended_at = clock_timestamp()
     where id = $1 and status = 'PENDING' and expires_at > clock_timestamp() returning id`,
    [id, JSON.stringify(answer), segment],
  );
  return row !== null;
}

/** Replaces the stream that the response opened with that of its rerun. */
export async function moveAnswer(tx: Sql, id: string, segment: number): Promise<void> {
  await rows(tx, `update interaction set segment = $2 where id = $1 and status = 'ANSWERED'`, [id, segment]);
}

/** The same for the question whose response opened the segment, if any. */
export async function moveAnswerOf(tx: Sql, turnRef: string, from: number, to: number): Promise<void> {
  await rows(
    tx,
    `update interaction set segment = $3 where turn_id = $1 and segment = $2 and status = 'ANSWERED'`,
    [turnRef, from, to],
  );
}

/** Ends a pending question, because its turn was canceled or it expired. */
export async function endPending(tx: Sql, turnRef: string, status: 'DISMISSED' | 'EXPIRED'): Promise<void> {
  await rows(
    tx,
    `update interaction set status = $2, ended_at = clock_timestamp() where turn_id = $1 and status = 'PENDING'`,
    [turnRef, status],
  );
}

/** The pending questions of a session, with their turns. */
export function listPendingInteractions(
  sql: Sql,
  agentId: string,
  userId: string,
  sessionName: string,
): Promise<(InteractionRow & { turnId: string })[]> {
  return rows(
    sql,
    `select ${COLUMNS}, t.client_turn_id as turn_id
     from interaction i join turn t on t.id = i.turn_id join session s on s.id = t.session_id
     where s.agent_id = $1 and s.user_id = $2 and s.name = $3 and s.deleted_at is null
       and i.status = 'PENDING' and i.expires_at > clock_timestamp() order by i.id`,
    [agentId, userId, sessionName],
  );
}

/** A question that expired. */
export interface ExpiredInteraction {
  id: string;
  turnRef: string;
  /** As text, because a Date would lose the microseconds. */
  expiredAt: string;
}

const EXPIRED_BATCH = 100;

/** Expired questions after one of them, oldest first. */
export function listExpiredInteractions(
  sql: Sql,
  after: ExpiredInteraction | null,
): Promise<ExpiredInteraction[]> {
  return rows(
    sql,
    `select id, turn_id as turn_ref, expires_at::text as expired_at from interaction
     where status = 'PENDING' and expires_at <= statement_timestamp()
       and (expires_at, id) > (coalesce($1::timestamptz, '-infinity'), coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'))
     order by expires_at, id limit $3`,
    [after?.expiredAt ?? null, after?.id ?? null, EXPIRED_BATCH],
  );
}
