import type { SegmentOrigin } from '@platform/contracts';
import {
  exactlyOne,
  firstPreparedRow,
  firstRow,
  preparedRows,
  rows,
  type PreparedSql,
  type Sql,
} from '../../infra/database/rows.ts';
import { KEPT_DAYS } from './kept-until.ts';
import { isSilent, type NewStep, type Step, type StepContent, type UserPart } from './steps.ts';
import type { SegmentRow, TurnRow, TurnSettings } from './turn.ts';

/** Of `turn t join session s on s.id = t.session_id`. */
export const TURN_COLUMNS = `
  t.id, t.space_id, t.reservation_id, t.agent_id, t.user_id, t.client_turn_id as turn_id, t.session_id as session_ref, s.name as session_name,
  s.deleted_at is not null as session_deleted, t.n, t.status,
  s.expires_at is not null as session_expires, t.contents_hash, t.causation_run_id,
  case when t.source is null then t.settings else json_build_object('source', t.source) end as settings, t.error, t.model, t.prompt_tokens,
  t.completion_tokens, t.cost::float8 as cost, t.estimated,
  t.execution_ms::float8 as execution_ms, t.created_at, t.started_at,
  t.finished_at`;

/** The caller's turn of that id with the agent, or null. */
export function findTurn(sql: Sql, agentId: string, userId: string, turnId: string): Promise<TurnRow | null> {
  return firstRow(
    sql,
    `select ${TURN_COLUMNS} from turn t join session s on s.id = t.session_id
     where t.agent_id = $1 and t.user_id = $2 and t.client_turn_id = $3`,
    [agentId, userId, turnId],
  );
}

/** The request of a turn, which can have megabytes. */
export async function loadSettings(sql: Sql, id: string): Promise<TurnSettings> {
  const { settings } = await exactlyOne<{ settings: TurnSettings }>(
    sql,
    'select settings from turn where id = $1',
    [id],
  );
  return settings;
}

/** Whether a run has started the turn as another user. */
export async function isTurnOfAnother(
  sql: Sql,
  runId: string,
  userId: string,
  turnId: string,
): Promise<boolean> {
  const other = await firstRow<{ id: string }>(
    sql,
    'select id from turn where causation_run_id = $1 and client_turn_id = $2 and user_id <> $3',
    [runId, turnId, userId],
  );
  return other !== null;
}

/** The client's id of the turn that a session runs, or null. */
export async function runningTurn(
  sql: Sql,
  agentId: string,
  userId: string,
  sessionName: string,
): Promise<string | null> {
  const row = await firstRow<{ turnId: string }>(
    sql,
    `select t.client_turn_id as turn_id from turn t join session s on s.id = t.session_id
     where s.agent_id = $1 and s.user_id = $2 and s.name = $3 and s.deleted_at is null and t.status = 'RUNNING'`,
    [agentId, userId, sessionName],
  );
  return row?.turnId ?? null;
}

export interface SessionOwner {
  spaceId: string;
  agentId: string;
  userId: string;
}

export interface NewSession {
  name: string;
  title: string;
  /** Not listed: an execution without memory. */
  hidden: boolean;
  /** Whether its content is deleted after some days. */
  expires: boolean;
  /** Whether its new turn runs immediately, so that the turns of its user are counted. */
  counted: boolean;
}

export interface LockedSession {
  id: string;
  /** The id for the new turn: made by the database, like its times, because turns are listed in the order of their ids. */
  turnRef: string;
  turnCount: number;
  /**
   * The number of running turns of the user without the new one, if `counted`. Other claims of the user then wait until
   * the transaction ends. Otherwise 0: turns that are only queued do not wait for each other.
   */
  running: number;
}

/**
 * Returns the session of that name, creating it if necessary. It stays locked until the transaction ends. That of an execution
 * without memory is listed and kept from the turn on that continues it.
 */
export async function lockSession(
  tx: PreparedSql,
  owner: SessionOwner,
  { name, title, hidden, expires, counted }: NewSession,
): Promise<LockedSession> {
  const row = await firstPreparedRow<LockedSession>(
    tx,
    'lock_session',
    `insert into session (space_id, agent_id, user_id, name, title, hidden, turn_count, expires_at)
     values ($1, $2, $3::uuid, $4, $5, $6, 1, case when $7 then clock_timestamp() + interval '${KEPT_DAYS} days' end)
     on conflict (agent_id, user_id, name) where deleted_at is null
     do update set turn_count = session.turn_count + 1, last_turn_at = clock_timestamp(),
       hidden = session.hidden and excluded.hidden,
       expires_at = case when excluded.expires_at is not null then session.expires_at end
     returning id, uuid_v7() as turn_ref, turn_count, case when $8 then running_turns($3::uuid) else 0 end as running`,
    [owner.spaceId, owner.agentId, owner.userId, name, title, hidden, expires, counted],
  );
  if (row === null) throw new Error('A session was neither made nor found');
  return row;
}

/** Counts the running turns of a user, and blocks other claims of the user until the transaction ends. */
export async function runningTurns(tx: Sql, userId: string): Promise<number> {
  const row = await firstRow<{ running: number }>(tx, 'select running_turns($1::uuid) as running', [userId]);
  return row?.running ?? 0;
}

export interface NewTurn extends SessionOwner {
  id: string;
  sessionRef: string;
  n: number;
  turnId: string;
  contentsHash: Buffer;
  settings: TurnSettings;
  model: string;
  status: 'RUNNING' | 'QUEUED';
  causationRunId: string | null;
}

/** Stores a turn. Returns false if its id exists. Violates `turn_running` if it should run and the session is busy. */
export async function insertTurn(tx: PreparedSql, turn: NewTurn): Promise<boolean> {
  const row = await firstPreparedRow(
    tx,
    'insert_turn',
    `insert into turn (id, space_id, agent_id, user_id, session_id, client_turn_id, n, contents_hash, settings, model,
       status, started_at, source, causation_run_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text,
       case when $11::text = 'RUNNING' then clock_timestamp() end, $12, $13)
     on conflict (agent_id, user_id, client_turn_id) do nothing returning id`,
    [
      turn.id,
      turn.spaceId,
      turn.agentId,
      turn.userId,
      turn.sessionRef,
      turn.turnId,
      turn.n,
      turn.contentsHash,
      JSON.stringify(turn.settings),
      turn.model,
      turn.status,
      turn.settings.source,
      turn.causationRunId,
    ],
  );
  return row !== null;
}

/** Deletes the text that the model had written when the turn failed. A rerun replaces it. */
export async function deletePartialSteps(tx: Sql, id: string): Promise<void> {
  await rows(tx, `delete from turn_step where turn_id = $1 and kind = 'partial'`, [id]);
}

/** Moves a turn after all turns that its session has started since. Returns its new position. */
export async function moveToEnd(
  tx: Sql,
  { id, sessionRef, n }: { id: string; sessionRef: string; n: number },
): Promise<number> {
  const placed = await firstRow<{ n: number }>(
    tx,
    `with place as (
       update session set turn_count = turn_count + 1 where id = $2 and turn_count > $3 returning turn_count
     )
     update turn set n = place.turn_count from place where turn.id = $1 returning n`,
    [id, sessionRef, n],
  );
  return placed?.n ?? n;
}

/** The turns of a session that wait for input. */
export function listWaitingTurns(tx: Sql, sessionRef: string): Promise<TurnRow[]> {
  return rows(
    tx,
    `select ${TURN_COLUMNS} from turn t join session s on s.id = t.session_id
     where t.session_id = $1 and t.status = 'INPUT_REQUIRED'`,
    [sessionRef],
  );
}

/** A turn by its own id. */
export function getTurn(sql: Sql, id: string): Promise<TurnRow | null> {
  return firstRow(
    sql,
    `select ${TURN_COLUMNS} from turn t join session s on s.id = t.session_id where t.id = $1`,
    [id],
  );
}

/** Stores a segment. Its steps are those that are stored from now on. */
export async function insertSegment(
  tx: PreparedSql,
  turnRef: string,
  segment: { segment: number; origin: SegmentOrigin; streamId: string },
): Promise<void> {
  await preparedRows(
    tx,
    'insert_turn_segment',
    `insert into turn_segment (turn_id, segment, origin, stream_id, first_step, prompt_tokens_before,
       completion_tokens_before, cost_before)
     select id, $2, $3, $4, 1 + coalesce((select max(n) from turn_step where turn_id = $1), 0), prompt_tokens,
       completion_tokens, cost
     from turn where id = $1`,
    [turnRef, segment.segment, segment.origin, segment.streamId],
  );
}

/** The segments of a turn in their order. */
export function loadSegments(sql: Sql, turnRef: string): Promise<SegmentRow[]> {
  return rows(
    sql,
    'select segment, origin, stream_id from turn_segment where turn_id = $1 order by segment',
    [turnRef],
  );
}

/**
 * How often an interrupted turn has run again since its last model call, and the model calls since a person started or
 * resumed it.
 */
export async function countReruns(
  sql: Sql,
  turnRef: string,
): Promise<{ reruns: number; modelCalls: number }> {
  return exactlyOne(
    sql,
    `select (
       select count(*)::int from turn_segment
       where turn_id = $1 and origin = 'rerun' and first_step > coalesce(
         (select max(n) from turn_step where turn_id = $1 and kind = 'model'), 0)
     ) as reruns, (
       select count(*)::int from turn_step
       where turn_id = $1 and kind = 'model' and n >= (
         select max(first_step) from turn_segment where turn_id = $1 and origin <> 'rerun')
     ) as model_calls`,
    [turnRef],
  );
}

/** How many model calls of a segment are stored as steps. */
export async function countStoredCalls(sql: Sql, streamId: string): Promise<number> {
  const { calls } = await exactlyOne<{ calls: number }>(
    sql,
    `select count(i.n)::int as calls
     from turn_segment g left join turn_step i
       on i.turn_id = g.turn_id and i.kind = 'model' and i.n >= coalesce(g.first_step, 1)
     where g.stream_id = $1`,
    [streamId],
  );
  return calls;
}

/** The number of the next segment. */
export async function nextSegment(sql: Sql, turnRef: string): Promise<number> {
  return ((await loadSegments(sql, turnRef)).at(-1)?.segment ?? 0) + 1;
}

/** Appends a step; `n` counts from 1 within the turn. */
export async function insertStep(
  tx: PreparedSql,
  turnRef: string,
  n: number,
  step: NewStep,
): Promise<string> {
  const row = await firstPreparedRow<{ id: string }>(
    tx,
    'insert_turn_step',
    `insert into turn_step (turn_id, n, kind, content, tokens, bytes, is_silent, measures)
     values ($1, $2, $3, $4::text::json, $5, octet_length($4::text), $6, $7)
     returning id`,
    [
      turnRef,
      n,
      step.kind,
      JSON.stringify(step.content),
      step.tokens,
      isSilent(step),
      step.measures ? JSON.stringify(step.measures) : null,
    ],
  );
  if (row === null) throw new Error('A step was not stored');
  return row.id;
}

/** The steps of a turn in their order. */
export function loadSteps(sql: Sql, turnRef: string): Promise<Step[]> {
  return rows(sql, 'select id, n, kind, content, tokens from turn_step where turn_id = $1 order by n', [
    turnRef,
  ]);
}

/** The parts of the message that the turn answers; null if they have been purged. */
export async function findUserParts(sql: Sql, turnRef: string): Promise<UserPart[] | null> {
  const row = await firstRow<{ content: { parts: UserPart[] } }>(
    sql,
    `select content from turn_step where turn_id = $1 and kind = 'user' order by n limit 1`,
    [turnRef],
  );
  return row && row.content.parts;
}

/** The id of a step if it is stored, or null. */
export async function findStepId(
  sql: Sql,
  turnRef: string,
  n: number,
  kind: StepContent['kind'],
): Promise<string | null> {
  const row = await firstRow<{ id: string }>(
    sql,
    'select id from turn_step where turn_id = $1 and n = $2 and kind = $3',
    [turnRef, n, kind],
  );
  return row?.id ?? null;
}
