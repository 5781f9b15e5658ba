import type { Interaction, ProductEventFields, SegmentOrigin } from '@platform/contracts';
import { firstRow, preparedRows, type PreparedSql, type Sql } from '../../infra/database/rows.ts';
import { findInteractionOfSegment } from './interaction.store.ts';
import type { Step, StoredSearch } from './steps.ts';
import { toInteraction } from '../questions/questions.ts';
import { loadSteps } from './turn.store.ts';
import type { TurnRow } from './turn.ts';

export type Completed = ProductEventFields['response.completed'];

/** What is known about a segment without its frames. */
export interface SegmentHistory {
  segment: number;
  /** Its own steps. */
  steps: Step[];
  /** What was searched for the turn, unless the segment resumed it. */
  searches: StoredSearch[];
  /** How it ended; null for segments of earlier versions, which did not store it. */
  completed: Completed | null;
  /** Its last product event. */
  interaction: Interaction | null;
}

/** Stores how a segment ended, for longer than its frames. */
export async function keepCompleted(tx: PreparedSql, streamId: string, completed: Completed): Promise<void> {
  await preparedRows(tx, 'keep_completed', 'update turn_segment set completed = $2 where stream_id = $1', [
    streamId,
    JSON.stringify(completed),
  ]);
}

export async function loadSegmentHistory(sql: Sql, turn: TurnRow, segment: number): Promise<SegmentHistory> {
  const row = await firstRow<{
    first: number;
    next: number | null;
    completed: Completed | null;
    origin: SegmentOrigin;
  }>(
    sql,
    `select coalesce(g.first_step, 1) as first, g.completed, g.origin, (
       select min(later.first_step) from turn_segment later
       where later.turn_id = g.turn_id and later.segment > g.segment
     ) as next
     from turn_segment g where g.turn_id = $1 and g.segment = $2`,
    [turn.id, segment],
  );
  const { first = 1, next = null, completed = null, origin = 'start' } = row ?? {};
  const all = await loadSteps(sql, turn.id);
  const steps = all.filter(({ n }) => n >= first && n < (next ?? Infinity));
  const isAsking = completed?.finishReason === 'input_required';
  // A rerun shows what was searched at the start.
  const searches = origin === 'resume' ? [] : all.flatMap(searchesOf);
  return {
    segment,
    steps,
    searches,
    completed,
    interaction: isAsking ? await questionOf(sql, turn, segment) : null,
  };
}

function searchesOf(step: Step): StoredSearch[] {
  return step.kind === 'evidence' ? step.content.searches : [];
}

async function questionOf(sql: Sql, turn: TurnRow, segment: number): Promise<Interaction | null> {
  const row = await findInteractionOfSegment(sql, turn.id, segment);
  return row && toInteraction(row, { turnId: turn.turnId, sessionId: turn.sessionName });
}

/** The usage of a turn when a segment was opened; null for segments of earlier versions, which did not store it. */
export async function loadUsageBefore(
  sql: Sql,
  streamId: string,
): Promise<{ promptTokens: number; completionTokens: number; cost: number } | null> {
  return firstRow(
    sql,
    `select prompt_tokens_before::float8 as prompt_tokens, completion_tokens_before::float8 as completion_tokens,
       cost_before::float8 as cost
     from turn_segment where stream_id = $1 and cost_before is not null`,
    [streamId],
  );
}
