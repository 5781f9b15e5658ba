import type { QuestionStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { insertRow } from '../../infra/database/entity-rows.ts';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { WaitKey } from '../waits/waits.store.ts';
import type { NewQuestion } from './new-question.ts';
import { QuestionEntity } from './question.entity.ts';

/** How long before the end of its time people are told again of the question of a turn. */
const REMINDER_MS = 24 * 3_600_000;

/** A question with the name and the owner of its task. */
export type QuestionRow = QuestionEntity & {
  /** Null: a turn asks. */
  taskName: string | null;
  taskOwnerUserId: string | null;
  isAddressed: boolean;
};

/** As whom a caller is addressed. What others have to decide is not for the caller. */
export interface Addressee {
  userId: string;
  recipients: readonly string[];
}

const QUESTION = `
  select q.*, t.name as task_name, t.owner_user_id as task_owner_user_id,
    exists (select from question_recipient r where r.question_id = q.id and r.recipient = any($2::text[])
      and r.except_user_id is distinct from $4::uuid) as is_addressed
  from question q left join task t on t.id = q.task_id`;

/** Inserts the open question of a wait, which expires when the wait is due. */
export async function insertQuestion(
  tx: EntityManager,
  { runId, scope }: WaitKey,
  { exceptUserId = null, ...question }: NewQuestion,
  recipients: readonly string[],
): Promise<WaitingQuestion> {
  // A change of the owner waits for the lock, and then finds the question.
  const wait = await exactlyOne<{
    spaceId: string;
    taskId: string;
    taskName: string;
    ownerUserId: string;
    dueAt: Date | null;
    remindAt: Date | null;
  }>(
    tx,
    `select w.space_id, w.task_id, t.name as task_name, t.owner_user_id, w.due_at,
       case when w.due_at - w.created_at >= interval '1 hour'
         then w.due_at - least((w.due_at - w.created_at) / 4, interval '1 day') end as remind_at
     from run_wait w join task t on t.id = w.task_id where w.run_id = $1 and w.scope = $2 for key share of t`,
    [runId, scope],
  );
  const { spaceId, taskId, taskName, ownerUserId, dueAt: expiresAt, remindAt } = wait;
  const stored = await insertRow(tx, QuestionEntity, {
    ...question,
    runId,
    scope,
    spaceId,
    taskId,
    expiresAt,
    remindAt,
  });
  const addressed = question.recipients === 'owner' ? [ownerUserId] : recipients;
  await insertRecipients(tx, stored, addressed, exceptUserId);
  return { ...stored, taskName };
}

/** Inserts the open question of a turn that waits. */
export async function insertTurnQuestion(
  tx: EntityManager,
  { spaceId, turnId, expiresAt }: { spaceId: string; turnId: string; expiresAt: Date },
  { exceptUserId = null, ...question }: NewQuestion,
  recipients: readonly string[],
): Promise<WaitingQuestion> {
  const remindAt = new Date(expiresAt.getTime() - REMINDER_MS);
  const stored = await insertRow(tx, QuestionEntity, { ...question, spaceId, turnId, expiresAt, remindAt });
  await insertRecipients(tx, stored, recipients, exceptUserId);
  return { ...stored, taskName: null };
}

async function insertRecipients(
  tx: Sql,
  { id, spaceId }: QuestionEntity,
  recipients: readonly string[],
  exceptUserId: string | null,
): Promise<void> {
  await rows(
    tx,
    `insert into question_recipient (question_id, recipient, space_id, except_user_id)
     select $1, unnest($2::text[]), $3, $4`,
    [id, recipients, spaceId, exceptUserId],
  );
}

/** A question that people are told of. */
export type WaitingQuestion = Pick<
  QuestionEntity,
  'id' | 'spaceId' | 'runId' | 'taskId' | 'message' | 'need'
> & { taskName: string | null };

/** Takes open questions of which people are to be told again. */
export function takeReminders(tx: Sql, limit: number): Promise<WaitingQuestion[]> {
  return rows(
    tx,
    `update question q set remind_at = null, reminded_at = clock_timestamp()
     where q.id = any(array(
       select id from question where remind_at <= statement_timestamp() and status = 'OPEN'
       order by remind_at limit $1 for update skip locked))
     returning q.id, q.space_id, q.run_id, q.task_id, q.message, q.need,
       (select name from task t where t.id = q.task_id) as task_name`,
    [limit],
  );
}

/** Returns a question of a space, and whether it is addressed to one of the recipients. */
export function findQuestion(
  sql: Sql,
  spaceId: string,
  id: string,
  { userId, recipients }: Addressee,
): Promise<QuestionRow | null> {
  return firstRow(sql, `${QUESTION} where q.id = $1 and q.space_id = $3`, [id, recipients, spaceId, userId]);
}

/** Lists the questions to one of the recipients after an id: open ones oldest first, others newest first. */
export function listQuestions(
  sql: Sql,
  spaceId: string,
  { userId, recipients }: Addressee,
  status: QuestionStatus,
  after: string | null,
  limit: number,
): Promise<QuestionRow[]> {
  const [sign, order] = status === 'OPEN' ? ['>', 'asc'] : ['<', 'desc'];
  // Each recipient is read in the order of the index.
  return rows(
    sql,
    `${QUESTION} where q.id = any(array(
       select distinct on (found.question_id) found.question_id from unnest($2::text[]) as one(recipient) cross join lateral (
         select question_id from question_recipient
         where space_id = $1 and recipient = one.recipient and status = $3
           and except_user_id is distinct from $4::uuid
           and ($5::uuid is null or question_id ${sign} $5::uuid)
         order by question_id ${order} limit $6
       ) found order by found.question_id ${order} limit $6
     )) order by q.id ${order}`,
    [spaceId, recipients, status, userId, after, limit],
  );
}

/** How many open questions are addressed to one of the recipients, at most `limit`. */
export async function countOpen(
  sql: Sql,
  spaceId: string,
  { userId, recipients }: Addressee,
  limit: number,
): Promise<number> {
  const { open } = await exactlyOne<{ open: number }>(
    sql,
    `select count(*)::int as open from (
       select from unnest($2::text[]) as one(recipient) cross join lateral (
         select from question_recipient where space_id = $1 and recipient = one.recipient and status = 'OPEN'
           and except_user_id is distinct from $4::uuid limit $3
       ) found limit $3
     ) counted`,
    [spaceId, recipients, limit, userId],
  );
  return open;
}

export interface Answer {
  values: Record<string, unknown>;
  approved: boolean | null;
  note: string | null;
  /** The arguments with which a call was approved, in place of those that were shown. */
  edited: Record<string, unknown> | null;
  answeredBy: string;
  answeredAt: Date;
}

/** Stores the answer of an open question. Returns false if it has been closed, or has expired. */
export async function storeAnswer(
  tx: Sql,
  id: string,
  { values, approved, note, edited, answeredBy, answeredAt }: Answer,
): Promise<boolean> {
  const row = await firstRow(
    tx,
    `update question set status = 'ANSWERED', "values" = $2, approved = $3, note = $4, answered_by = $5, answered_at = $6,
       edited = $7
     where id = $1 and status = 'OPEN' and (expires_at is null or expires_at > clock_timestamp()) returning id`,
    [id, JSON.stringify(values), approved, note, answeredBy, answeredAt, edited && JSON.stringify(edited)],
  );
  return row !== null;
}

/** The open questions of a run, oldest first. */
export function listOpenOfRun(
  sql: Sql,
  runId: string,
): Promise<{ id: string; scope: string; message: string }[]> {
  return rows(
    sql,
    `select id, scope, message from question where run_id = $1 and status = 'OPEN' order by id limit 100`,
    [runId],
  );
}

/** A question that the turn of an agent asks. */
export type TurnQuestion = Pick<
  QuestionEntity,
  | 'id'
  | 'runId'
  | 'scope'
  | 'status'
  | 'values'
  | 'approved'
  | 'note'
  | 'edited'
  | 'answeredBy'
  | 'need'
  | 'purpose'
>;

const TURN_QUESTION =
  'id, run_id, scope, status, "values", approved, note, edited, answered_by, need, purpose';

/** Returns the last question for an interaction, or null. */
export function findOfInteraction(sql: Sql, interactionId: string): Promise<TurnQuestion | null> {
  return firstRow(
    sql,
    `select ${TURN_QUESTION} from question where interaction_id = $1 order by id desc limit 1`,
    [interactionId],
  );
}

/** The questions for an interaction, oldest first. */
export function listOfInteraction(sql: Sql, interactionId: string): Promise<TurnQuestion[]> {
  return rows(
    sql,
    `select * from (
       select ${TURN_QUESTION} from question where interaction_id = $1 order by id desc limit 100
     ) latest order by id`,
    [interactionId],
  );
}

/** A connection that runs may wait for. */
export interface MadeConnection {
  spaceId: string;
  /** The page on which it was made. */
  path: string;
  /** Null: it is for the runs of everybody. */
  ownerUserId: string | null;
}

/** How many runs go on at once with a connection. People answer the other questions themselves. */
const MAX_CONNECTED = 1_000;

/** Lists the runs that ask for a connection, oldest first. */
export function listAskingFor(
  sql: Sql,
  { spaceId, path, ownerUserId }: MadeConnection,
): Promise<{ id: string; runId: string; scope: string }[]> {
  return rows(
    sql,
    `select id, run_id, scope from question
     where space_id = $1 and need ->> 'path' = $2 and purpose = 'connection' and status = 'OPEN' and run_id is not null
       and ($3::uuid is null or need ->> 'requesterId' = $3::text)
     order by id limit $4`,
    [spaceId, path, ownerUserId, MAX_CONNECTED],
  );
}

/** Returns the open question of a turn, or null. */
export function findOpenOfTurn(sql: Sql, turnId: string): Promise<TurnQuestion | null> {
  return firstRow(
    sql,
    `select ${TURN_QUESTION} from question where turn_id = $1 and status = 'OPEN' limit 1`,
    [turnId],
  );
}

/**
 * Addresses the open questions of steps that name a person to the others whom they name. Where that was the last one, the step is
 * executed again, and finds nobody whom it can ask.
 */
export async function leaveQuestions(tx: Sql, spaceId: string, userId: string): Promise<void> {
  const open = `
    select r.question_id from question_recipient r join question q on q.id = r.question_id
    where r.space_id = $1 and r.recipient = $2 and r.status = 'OPEN' and q.run_id is not null and q.interaction_id is null
      and q.recipients::text <> '"owner"'`;
  // First the wait, then the question, as whatever else ends the wait.
  const closed = await rows<{ id: string }>(
    tx,
    `with last as (
       select q.id, q.run_id, q.scope from question q where q.id in (${open})
         and not exists (select from question_recipient o where o.question_id = q.id and o.recipient <> $2)
     ), waiting as materialized (
       select last.id, w.run_id, w.scope from last join run_wait w on w.run_id = last.run_id and w.scope = last.scope
       where w.result is null order by w.run_id, w.scope for update of w
     )
     update run_wait w set repeats = true, due_at = clock_timestamp()
     from waiting where w.run_id = waiting.run_id and w.scope = waiting.scope returning waiting.id`,
    [spaceId, userId],
  );
  for (const { id } of closed) await closeQuestion(tx, id, 'CANCELLED');
  await rows(tx, `delete from question_recipient where recipient = $2 and question_id in (${open})`, [
    spaceId,
    userId,
  ]);
}

/** Closes an open question without an answer. */
export async function closeQuestion(tx: Sql, id: string, status: 'EXPIRED' | 'CANCELLED'): Promise<void> {
  await rows(tx, `update question set status = $2 where id = $1 and status = 'OPEN'`, [id, status]);
}

/** Stores that the turns of questions no longer wait for them. */
export async function settleQuestions(tx: Sql, ids: readonly string[]): Promise<void> {
  await rows(tx, 'update question set turn_id = null where id = any($1::uuid[]) and turn_id is not null', [
    ids,
  ]);
}

/** Lists closed questions whose turns still wait, although no run goes on with them; oldest first. */
export function listAbandoned(sql: Sql, limit: number): Promise<{ id: string; turnId: string }[]> {
  return rows(
    sql,
    `select id, turn_id from question q where turn_id is not null and status <> 'OPEN' and run_id is not null
       and (status = 'CANCELLED' or not exists (
         select from run r where r.id = q.run_id and r.status in ('QUEUED', 'RUNNING', 'WAITING')))
     order by id limit $1`,
    [limit],
  );
}
