import type { ReplayQuery } from '@platform/contracts';
import { LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import type { BulkTable, ClaimedBulkWork } from '../../infra/bulk/bulk-work.store.ts';
import { BulkReplayEntity } from './bulk-replay.entity.ts';

export const BULK_REPLAYS: BulkTable = { name: 'bulk_replay', done: 'replayed' };

export type ClaimedBulkReplay = ClaimedBulkWork<ReplayQuery>;

/** Lists the bulk replays of a space below an id, newest first. */
export function listBulkReplays(
  manager: EntityManager,
  spaceId: string,
  below: string | null,
  limit: number,
): Promise<BulkReplayEntity[]> {
  return manager.find(BulkReplayEntity, {
    where: { spaceId, ...(below !== null && { id: LessThan(below) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

export async function getBulkReplay(
  manager: EntityManager,
  spaceId: string,
  id: string,
): Promise<BulkReplayEntity> {
  const label = `Bulk replay ${id}`;
  requireUuid(id, label);
  const found = await manager.findOneBy(BulkReplayEntity, { spaceId, id });
  if (found === null)
    throw await missingOrForeign(manager, BulkReplayEntity, { id, spaceId: Not(spaceId) }, label);
  return found;
}
