import type { DataSource, EntityManager } from 'typeorm';
import { firstRow, type Sql } from '../infra/database/rows.ts';
import { ClaimLost } from '../streams/stream-writer.ts';
import type { ActiveTurn } from './active-turn.ts';
import type { ItemContent } from './items.ts';
import { insertItem } from './turn-store.ts';

/**
 * Stores a step of a running turn, and `also` what belongs to it, in one transaction under the turn's claim: whoever
 * was taken over meanwhile stores nothing. A lost answer to COMMIT is no failure.
 */
export async function storeStep(
  database: DataSource,
  turn: ActiveTurn,
  item: ItemContent & { tokens: number },
  also: (tx: EntityManager) => Promise<void> = async () => undefined,
): Promise<void> {
  // Taken at once: calls that run side by side store their results in any order.
  const n = turn.nextItem++;
  const stored = database.transaction(async (tx) => {
    await turn.writer.assertHeld(tx);
    const id = await insertItem(tx, turn.id, n, item);
    await also(tx);
    return id;
  });
  const id = await stored.catch(async (error: unknown) => {
    const kept = error instanceof ClaimLost ? null : await storedItem(database, turn.id, n, item.kind);
    if (kept === null) throw error;
    return kept;
  });
  turn.items.push({ ...item, id, n });
}

async function storedItem(
  sql: Sql,
  turnId: string,
  n: number,
  kind: ItemContent['kind'],
): Promise<string | null> {
  const row = await firstRow<{ id: string }>(
    sql,
    'select id from turn_item where turn_id = $1 and n = $2 and kind = $3',
    [turnId, n, kind],
  );
  return row?.id ?? null;
}
