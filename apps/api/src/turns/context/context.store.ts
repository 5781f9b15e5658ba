import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { Context, ContextStep, Position, Summary } from './context-state.ts';

/** Bytes. A page that has reached them is not extended; a new one is started. */
const PAGE_BYTES = 64 * 1024;
/** How many bytes of a session are read for a context: depends on the window of the model, within limits. */
const BYTES_PER_TOKEN = 16;
const MIN_READ_BYTES = 1024 * 1024;
const MAX_READ_BYTES = 32 * 1024 * 1024;
const NO_TURN = { turn: 0, n: 0 };

/** Steps of ended turns after the last page, in the form of a page. */
export interface Tail {
  /** The last turn of the last page. */
  after: number;
  to: number;
  steps: string;
}

interface ContextRow {
  id: string | null;
  summary: { text: string } | null;
  tokens: number;
  markTurn: number;
  markStep: number;
  atTurn: number | null;
  atStep: number;
  atTokens: number;
}

/**
 * The context of a session before a turn, and the part of it that is in no page yet. Turns that have not started are
 * not included. The summary is read first, so that one that is stored in the meantime is not seen partially.
 */
export async function loadContext(
  sql: Sql,
  sessionRef: string,
  contextWindow: number,
  beforeTurn: number | null = null,
): Promise<{ context: Context; tail: Tail | null }> {
  const row = await firstRow<ContextRow>(
    sql,
    `select s.id, s.summary, s.summary_tokens as tokens, s.mark_turn, s.mark_step,
       b.at_turn, b.at_step, b.at_tokens
     from (select) as one
     left join lateral (select * from context_compaction where session_id = $1 and status = 'READY'
       order by id desc limit 1) s on true
     left join lateral (select * from context_compaction where session_id = $1 and status in ('READY', 'UNDONE')
       order by changed_at desc limit 1) b on true`,
    [sessionRef],
  );
  const summary = row && summaryOf(row);
  const baseline = row?.atTurn == null ? null : { turn: row.atTurn, n: row.atStep, tokens: row.atTokens };
  const mark = summary?.mark ?? NO_TURN;
  const { pages, tail, isCut } = await readSteps(sql, sessionRef, mark, beforeTurn, bytesFor(contextWindow));
  const read = [...pages, ...(tail ? [tail.steps] : [])].join(',');
  const steps = (JSON.parse(`[${read}]`) as ContextStep[]).filter(
    ({ turn, n }) => turn > mark.turn || (turn === mark.turn && n > mark.n),
  );
  if (isCut) return { context: cutContext({ summary, baseline, steps }), tail: null };
  return { context: { summary, baseline, steps }, tail };
}

/** More bytes than any text that fits the window, so that reading more would only use memory. */
function bytesFor(contextWindow: number): number {
  return Math.min(MAX_READ_BYTES, Math.max(MIN_READ_BYTES, contextWindow * BYTES_PER_TOKEN));
}

/**
 * The context if its oldest steps were not read: it begins with a message, not with the result of a missing call, and
 * the figures that providers reported for all of it are dropped.
 */
function cutContext({ summary, steps }: Context): Context {
  const spoken = steps.findIndex(({ kind }) => kind === 'user');
  const first = spoken < 0 ? steps.findIndex(({ kind }) => kind === 'model') : spoken;
  const kept = first < 0 ? [] : steps.slice(first);
  return {
    summary,
    baseline: null,
    steps: kept.map((step) =>
      step.kind === 'model'
        ? { ...step, content: { text: step.content.text, toolCalls: step.content.toolCalls } }
        : step,
    ),
  };
}

function summaryOf({ id, summary, tokens, markTurn, markStep }: ContextRow): Summary | null {
  if (id === null || summary === null) return null;
  return { id, text: summary.text, tokens, mark: { turn: markTurn, n: markStep } };
}

/** The newest pages and steps within a byte limit. `isCut` if these are not all steps after the mark. */
async function readSteps(
  sql: Sql,
  sessionRef: string,
  mark: Position,
  beforeTurn: number | null,
  maxBytes: number,
): Promise<{ pages: string[]; tail: Tail | null; isCut: boolean }> {
  // One statement, so that pages and tail are consistent; a subquery, so that no turn before the tail is read.
  const found = await rows<{ after: number | null; to: number; steps: string | null; isCut: boolean }>(
    sql,
    `with last as materialized (
       select coalesce(max(to_turn), 0) as turn from context_page where session_id = $1
     ), step as (
       select t.n as turn, i.n, i.kind, i.content, i.tokens,
         sum(coalesce(i.bytes, octet_length(i.content::text))) over (order by t.n desc, i.n desc) as total
       from turn t join turn_step i on i.turn_id = t.id
       where t.session_id = $1 and t.n > (select turn from last) and ($3::int is null or t.n < $3)
         and t.started_at is not null
     ), page as (
       select to_turn, steps, (select coalesce(max(total), 0) from step)
         + sum(octet_length(steps)) over (order by to_turn desc) as total
       from context_page where session_id = $1 and to_turn >= $2
     )
     select null::int as after, to_turn as "to", case when total <= $4 then steps end as steps,
       total > $4 as is_cut from page
     union all
     select (select turn from last), max(turn), string_agg(json_build_object(
         'turn', turn, 'n', n, 'kind', kind, 'content', content, 'tokens', tokens)::text, ',' order by turn, n)
         filter (where total <= $4), max(total) > $4
     from step having count(*) > 0
     order by 2`,
    [sessionRef, mark.turn, beforeTurn, maxBytes],
  );
  const isCut = found.some((row) => row.isCut);
  const pages = found.flatMap(({ after, steps }) => (after === null && steps !== null ? [steps] : []));
  const [tail] = found.flatMap(({ after, to, steps }) =>
    after === null || steps === null ? [] : [{ after, to, steps }],
  );
  return { pages, tail: tail ?? null, isCut };
}

/**
 * Appends a tail to the last page of its session, or to a new one. Does nothing if the pages have changed since it was
 * read. Runs in the transaction that ends a turn, so that no step of the tail can change.
 */
export async function foldTail(tx: Sql, sessionRef: string, { after, to, steps }: Tail): Promise<void> {
  await rows(
    tx,
    `with grown as (
       update context_page set steps = steps || ',' || $4::text, to_turn = $3
       where session_id = $1 and to_turn = $2 and octet_length(steps) < ${PAGE_BYTES} returning 1
     )
     insert into context_page (session_id, from_turn, to_turn, steps)
     select $1, $2::int + 1, $3, $4
     where not exists (select from grown)
       and coalesce((select max(to_turn) from context_page where session_id = $1), 0) = $2
     on conflict do nothing`,
    [sessionRef, after, to, steps],
  );
}

/** Deletes the pages from a turn on, because the turn will change. They are rebuilt from the steps of the session. */
export async function forgetPages(tx: Sql, sessionRef: string, fromTurn: number): Promise<void> {
  await rows(tx, 'delete from context_page where session_id = $1 and to_turn >= $2', [sessionRef, fromTurn]);
}
