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
 * Keeps the subscriptions of a space as they are until the end of the transaction. Returns false if they are being changed, or
 * are about to be. It must be a statement of its own, before the subscriptions are read: the snapshot of one statement could
 * predate a change that has just been committed.
 */
export async function tryShareSubscriptions(tx: EntityManager, spaceId: string): Promise<boolean> {
  const [row] = await keptPlanRows<{ isShared: boolean }>(
    tx,
    'share_subscriptions',
    'select pg_try_advisory_xact_lock_shared($1::int, hashtext($2::uuid::text)) as is_shared',
    [SUBSCRIPTION_LOCK, spaceId],
  );
  return row?.isShared ?? false;
}
