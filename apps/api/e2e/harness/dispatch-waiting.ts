import { DispatchService } from '../../src/events/dispatch/dispatch.service.ts';
import { claimBatch, releaseClaims } from '../../src/events/records/outbox.store.ts';
import { BackgroundDatabase } from '../../src/infra/database/database.ts';
import type { TestApp } from './app.ts';

/** Dispatches what waits in one space, in one transaction. Returns how many envelopes were dispatched. */
export async function dispatchWaiting(app: TestApp, limit = 64): Promise<number> {
  const database = app.get(BackgroundDatabase);
  const { spaceId, claims } = await claimBatch(database, limit);
  if (spaceId === null) return 0;
  const { left } = await app.get(DispatchService).dispatch(spaceId, claims, 1_000);
  if (left.length > 0) await releaseClaims(database, left, false);
  return claims.length - left.length;
}
