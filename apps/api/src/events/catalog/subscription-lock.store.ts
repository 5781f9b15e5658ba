import type { EntityManager } from 'typeorm';
import { keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';

const SUBSCRIPTION_LOCK = 720_007;

/**
 * Waits until no dispatch is matching events of the space, and keeps new ones out until the end of the transaction. Whoever
 * enables, disables, deletes, or edits a subscription takes it first, so that nothing fires after the change.
 */
export async function lockSubscriptions(tx: Sql, spaceId: string): Promise<void> {
  await rows(tx, 'select pg_advisory_xact_lock($1::int, hashtext($2::uuid::text))', [
    SUBSCRIPTION_LOCK,
    spaceId,
  ]);
}

/**
 * Keeps the subscriptions of spaces as they are until the end of the transaction. It must be a statement of its own, before
 * the subscriptions are read: the snapshot of one statement would predate the wait. Locks are taken in ascending order.
 */
export async function shareSubscriptions(tx: EntityManager, spaceIds: readonly string[]): Promise<void> {
  await keptPlanRows(
    tx,
    'share_subscriptions',
    `select pg_advisory_xact_lock_shared($1::int, key)
     from (select distinct hashtext(id::text) as key from unnest($2::uuid[]) as s(id) order by key) k`,
    [SUBSCRIPTION_LOCK, spaceIds],
  );
}
