import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { Position } from './context-state.ts';

/** The state of a session that matters for its context. */
export interface ContextSession {
  ref: string;
  /** The client's id of the running turn, or null. */
  runningTurn: string | null;
  /** Whether a question is pending. */
  pending: boolean;
  /** Whether a compaction is running. */
  compacting: boolean;
}

/** The caller's session of that name, or null. `locked` prevents turns from starting until the transaction ends. */
export async function contextSession(
  sql: Sql,
  { agentId, userId }: { agentId: string; userId: string },
  name: string,
  { locked = false } = {},
): Promise<ContextSession | null> {
  const session = await firstRow<{ ref: string }>(
    sql,
    `select id as ref from session where agent_id = $1 and user_id = $2 and name = $3 and deleted_at is null
       and not hidden ${locked ? 'for no key update' : ''}`,
    [agentId, userId, name],
  );
  // A separate statement: one that waited for the lock would still see the state before it.
  return session && contextSessionState(sql, session.ref);
}

function contextSessionState(sql: Sql, ref: string): Promise<ContextSession | null> {
  return firstRow(
    sql,
    `select $1::uuid as ref,
       (select client_turn_id from turn where session_id = $1 and status = 'RUNNING') as running_turn,
       exists (select from turn where session_id = $1 and status = 'INPUT_REQUIRED') as pending,
       exists (select from context_compaction where session_id = $1 and status = 'RUNNING'
         and lease_until > clock_timestamp()) as compacting`,
    [ref],
  );
}

export interface CompactionFigures {
  /** The number of summaries in effect. Each includes the one before it. */
  count: number;
  status: 'none' | 'ready' | 'running' | 'failed';
}

/** How many summaries are in effect, and the result of the last attempt. An attempt with an expired lease has failed. */
export async function compactionFigures(sql: Sql, sessionRef: string): Promise<CompactionFigures> {
  const figures = await firstRow<CompactionFigures>(
    sql,
    `select count(*) filter (where status = 'READY')::int as count,
       case
         when bool_or(status = 'RUNNING' and lease_until > clock_timestamp()) then 'running'
         when (array_agg(status order by id desc))[1] in ('FAILED', 'RUNNING') then 'failed'
         when bool_or(status = 'READY') then 'ready' else 'none'
       end as status
     from context_compaction where session_id = $1 and status in ('RUNNING', 'READY', 'FAILED')`,
    [sessionRef],
  );
  return figures ?? { count: 0, status: 'none' };
}

export interface NewCompaction {
  sessionRef: string;
  trigger: 'manual' | 'automatic';
  mark: Position;
  /** The last step that `tokensBefore` counts. */
  at: Position;
  tokensBefore: number;
  model: string;
  leaseMs: number;
}

/** Stores that a compaction has started. Returns its id. */
export async function insertCompaction(tx: Sql, compaction: NewCompaction): Promise<string> {
  const { sessionRef, trigger, mark, at, tokensBefore, model, leaseMs } = compaction;
  const row = await firstRow<{ id: string }>(
    tx,
    `insert into context_compaction (session_id, trigger, status, mark_turn, mark_step, at_turn, at_step,
       tokens_before, model, lease_until)
     values ($1, $2, 'RUNNING', $3, $4, $5, $6, $7, $8, clock_timestamp() + $9 * interval '1 millisecond')
     returning id`,
    [sessionRef, trigger, mark.turn, mark.n, at.turn, at.n, tokensBefore, model, leaseMs],
  );
  if (row === null) throw new Error('A compaction was not stored');
  return row.id;
}

export async function isCompactionStored(sql: Sql, id: string): Promise<boolean> {
  return (await firstRow(sql, 'select from context_compaction where id = $1', [id])) !== null;
}

/** What the model used for a summary. */
export interface CompactionUsage {
  promptTokens: number;
  completionTokens: number;
  cost: number;
  estimated: boolean;
}

export interface MadeSummary extends CompactionUsage {
  text: string;
  /** Tokens of the text as the model receives it. */
  tokens: number;
  tokensAfter: number;
}

/**
 * RUNNING → READY (returns true), or ABANDONED (returns false) if the session was deleted or has another summary by
 * now, or if the lease has expired, because another summary may have been made and undone since. The usage is stored in
 * both cases. Repeatable.
 */
export async function finishCompaction(
  tx: Sql,
  sessionRef: string,
  id: string,
  madeWith: string | null,
  made: MadeSummary,
): Promise<boolean> {
  const open = await firstRow(
    tx,
    'select from session where id = $1 and deleted_at is null for no key update',
    [sessionRef],
  );
  const row = await firstRow<{ status: string }>(
    tx,
    `update context_compaction set
       status = case when $3 and lease_until > clock_timestamp() and $4::uuid is not distinct from
           (select id from context_compaction where session_id = $1 and status = 'READY' order by id desc limit 1)
         then 'READY' else 'ABANDONED' end,
       summary = $5, summary_tokens = $6, tokens_after = $7, at_tokens = $7, changed_at = clock_timestamp(),
       prompt_tokens = $8, completion_tokens = $9, cost = $10, estimated = $11
     where id = $2 and status = 'RUNNING' returning status`,
    [
      sessionRef,
      id,
      open !== null,
      madeWith,
      JSON.stringify({ text: made.text }),
      made.tokens,
      made.tokensAfter,
      made.promptTokens,
      made.completionTokens,
      made.cost,
      made.estimated,
    ],
  );
  if (row !== null) return row.status === 'READY';
  const known = await firstRow<{ status: string }>(
    tx,
    'select status from context_compaction where id = $1',
    [id],
  );
  return known?.status === 'READY';
}

/** RUNNING → FAILED, or ABANDONED if the session was deleted, with the usage so far. */
export async function endCompaction(
  tx: Sql,
  id: string,
  status: 'FAILED' | 'ABANDONED',
  used: CompactionUsage | null,
): Promise<void> {
  await rows(
    tx,
    `update context_compaction set status = $2, changed_at = clock_timestamp(), prompt_tokens = $3,
       completion_tokens = $4, cost = $5, estimated = $6
     where id = $1 and status = 'RUNNING'`,
    [
      id,
      status,
      used?.promptTokens ?? 0,
      used?.completionTokens ?? 0,
      used?.cost ?? 0,
      used?.estimated ?? false,
    ],
  );
}

/**
 * Undoes the last summary and forgets failed attempts. Stores the new size of the context. Returns false if there is
 * no summary.
 */
export async function undoCompaction(
  tx: Sql,
  sessionRef: string,
  at: Position,
  sizeOf: (tokensBefore: number, tokensAfter: number) => number,
): Promise<boolean> {
  const last = await firstRow<{ id: string; before: number; after: number }>(
    tx,
    `select id, tokens_before as before, tokens_after as after from context_compaction
     where session_id = $1 and status = 'READY' order by id desc limit 1`,
    [sessionRef],
  );
  if (last === null) return false;
  await rows(
    tx,
    `update context_compaction set status = case status when 'READY' then 'UNDONE' else 'ABANDONED' end,
       at_turn = $3, at_step = $4, at_tokens = $5, changed_at = clock_timestamp()
     where session_id = $1 and (id = $2 or status = 'FAILED')`,
    [sessionRef, last.id, at.turn, at.n, sizeOf(last.before, last.after)],
  );
  return true;
}
