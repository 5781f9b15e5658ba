import { preparedRows, rows, type PreparedSql, type Sql } from '../../infra/database/rows.ts';

/** The largest figure that the columns can hold. A larger figure of a provider must not make the update fail. */
const MAX_INT4 = 2_147_483_647;

/** Stores the reservation of the call that a turn is about to make. */
export async function setReservation(tx: Sql, turnRef: string, reservationId: string): Promise<void> {
  await rows(tx, 'update turn set reservation_id = $2 where id = $1', [turnRef, reservationId]);
}

/** Adds what a call used to its turn, which no longer has a reservation. */
export async function addUsage(
  tx: PreparedSql,
  turnRef: string,
  used: { promptTokens: number; completionTokens: number; cost: number | null; estimated: boolean },
): Promise<void> {
  await preparedRows(
    tx,
    'add_turn_usage',
    `update turn set prompt_tokens = least(prompt_tokens + $2::bigint, ${MAX_INT4}),
       completion_tokens = least(completion_tokens + $3::bigint, ${MAX_INT4}), cost = cost + $4::numeric,
       estimated = estimated or $5, reservation_id = null
     where id = $1`,
    [turnRef, used.promptTokens, used.completionTokens, used.cost ?? 0, used.estimated],
  );
}
