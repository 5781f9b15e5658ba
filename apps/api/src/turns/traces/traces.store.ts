import type { TurnQuery, TurnStatus } from '@platform/contracts';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { parseInstant, smallestIdAt } from '../../infra/requests/instant.ts';
import type { TurnSettings } from '../records/turn.ts';
import type { TracedQuestion, TracedStep } from './spans.ts';

/** Turns that one request looks at. Filters without an index of their own cost no more, however rare a match is. */
const LOOKED_AT = 5_000;

/** The time in an id and `created_at` are read one after the other. */
const ID_SLACK_MS = 1_000;

export interface TurnFilter extends Pick<
  TurnQuery,
  'agentId' | 'sessionId' | 'runId' | 'status' | 'source' | 'model' | 'search' | 'from' | 'to'
> {
  spaceId: string;
  /** Null for all users of the space. */
  userId: string | null;
}

export interface ListedTurn {
  id: string;
  turnId: string;
  agentId: string;
  userId: string;
  sessionName: string;
  sessionTitle: string;
  sessionHidden: boolean;
  source: TurnSettings['source'] | null;
  status: TurnStatus;
  errorCode: string | null;
  model: string;
  promptTokens: number;
  completionTokens: number;
  cost: number;
  estimated: boolean;
  executionMs: number;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** Returns the statement that picks the turns to look at, newest first, and its parameters. */
function candidates(filter: TurnFilter, after: string | null): { sql: string; parameters: unknown[] } {
  const parameters: unknown[] = [filter.spaceId];
  const conditions = ['c.space_id = $1'];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    parameters.push(value);
    conditions.push(condition(`$${parameters.length}`));
  };
  if (filter.userId !== null) add((p) => `c.user_id = ${p}`, filter.userId);
  if (filter.runId !== undefined) add((p) => `c.causation_run_id = ${p}`, filter.runId);
  if (filter.sessionId !== undefined) {
    parameters.push(filter.agentId, filter.userId, filter.sessionId);
    const [agent, user, name] = [2, 1, 0].map((back) => `$${parameters.length - back}`);
    conditions.push(
      `c.session_id = (select id from session
         where agent_id = ${agent} and user_id = ${user} and name = ${name} and deleted_at is null)`,
    );
  }
  if (filter.from !== undefined) add((p) => `c.id >= ${p}`, smallestIdAt(timeOf(filter.from) - ID_SLACK_MS));
  if (filter.to !== undefined) add((p) => `c.id < ${p}`, smallestIdAt(timeOf(filter.to) + ID_SLACK_MS));
  if (after !== null) add((p) => `c.id < ${p}`, after);
  return { sql: `from turn c where ${conditions.join(' and ')} order by c.id desc`, parameters };
}

const timeOf = (instant: string): number => parseInstant(instant)?.getTime() ?? 0;

/** The matches among the next turns, newest first. */
export function listTurns(
  sql: Sql,
  filter: TurnFilter,
  after: string | null,
  limit: number,
): Promise<ListedTurn[]> {
  const { sql: from, parameters } = candidates(filter, after);
  const { agentId, status: wanted, source: origin, model: name } = filter;
  const words = filter.search?.trim().toLowerCase();
  const times = [parseInstant(filter.from), parseInstant(filter.to)];
  const values = [...parameters, agentId, wanted, origin, name, ...times, words, limit];
  const place = (i: number) => `$${parameters.length + i}`;
  const [agent, status, source, model, begin, end, text, most] = [1, 2, 3, 4, 5, 6, 7, 8].map(place);
  return rows(
    sql,
    `select t.id, t.client_turn_id as turn_id, t.agent_id, t.user_id,
       s.name as session_name, s.title as session_title, s.hidden as session_hidden,
       t.source, t.status, t.error_code, t.model, t.prompt_tokens,
       t.completion_tokens, t.cost::float8 as cost, t.estimated,
       t.execution_ms::float8 as execution_ms, t.created_at, t.started_at,
       t.finished_at
     from (select c.* ${from} limit ${LOOKED_AT}) t
     join session s on s.id = t.session_id and s.deleted_at is null
     where (${agent}::uuid is null or t.agent_id = ${agent}) and (${status}::text is null or t.status = ${status})
       and (${source}::text is null or t.source = ${source}) and (${model}::text is null or t.model = ${model})
       and (${begin}::timestamptz is null or t.created_at >= ${begin})
       and (${end}::timestamptz is null or t.created_at <= ${end})
       and (${text}::text is null or position(${text} in lower(s.title)) > 0
         or t.client_turn_id = ${text} or lower(s.name) = ${text})
     order by t.id desc limit ${most}`,
    values.map((value) => value ?? null),
  );
}

/** The last of the turns that `listTurns` looks at, or null if it looks at all that are left. */
export async function lastLookedAt(
  sql: Sql,
  filter: TurnFilter,
  after: string | null,
): Promise<string | null> {
  const { sql: from, parameters } = candidates(filter, after);
  const row = await firstRow<{ id: string }>(
    sql,
    `select c.id ${from} offset ${LOOKED_AT - 1} limit 1`,
    parameters,
  );
  return row?.id ?? null;
}

/** What the trace of a turn needs besides its row. */
export interface TraceRecords {
  segmentAt: Date | null;
  sessionHidden: boolean;
  steps: TracedStep[];
  questions: TracedQuestion[];
}

export async function loadTraceRecords(sql: Sql, turnRef: string, sessionRef: string): Promise<TraceRecords> {
  const head = await firstRow<{ segmentAt: Date | null; hidden: boolean }>(
    sql,
    `select hidden, (select max(created_at) from turn_segment where turn_id = $1) as segment_at
     from session where id = $2`,
    [turnRef, sessionRef],
  );
  const steps = await rows<TracedStep>(
    sql,
    'select n, kind, content, measures, created_at from turn_step where turn_id = $1 order by n',
    [turnRef],
  );
  const questions = await rows<TracedQuestion>(
    sql,
    `select call_id, question, answer, created_at,
       case when status = 'PENDING' and expires_at <= clock_timestamp() then 'EXPIRED' else status end as status,
       coalesce(ended_at, case when expires_at <= clock_timestamp() then expires_at end) as ended_at
     from interaction where turn_id = $1 order by created_at`,
    [turnRef],
  );
  return { segmentAt: head?.segmentAt ?? null, sessionHidden: head?.hidden ?? true, steps, questions };
}
