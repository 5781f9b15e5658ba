import type { EntityManager } from 'typeorm';
import { rows } from '../../infra/database/rows.ts';
import { McpOffersEntity } from './mcp-offers.entity.ts';

export function loadOffers(tx: EntityManager, spaceId: string): Promise<McpOffersEntity | null> {
  return tx.findOneBy(McpOffersEntity, { spaceId });
}

/** Lets one transaction at a time change the offers of a space, also of one that has none. */
export async function lockOffers(tx: EntityManager, spaceId: string): Promise<void> {
  await rows(tx, "select pg_advisory_xact_lock(hashtext('mcp offers'), hashtext($1))", [spaceId]);
}

export async function storeOffers(
  tx: EntityManager,
  spaceId: string,
  offers: Pick<McpOffersEntity, 'agents' | 'tasks' | 'tools' | 'knowledge'>,
): Promise<void> {
  await tx.upsert(McpOffersEntity, { spaceId, ...offers, updatedAt: () => 'clock_timestamp()' }, ['spaceId']);
}
