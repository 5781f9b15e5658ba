import type { EntityManager } from 'typeorm';
import { firstPreparedRow, rows, type PreparedSql } from '../../infra/database/rows.ts';
import { McpOffersEntity } from './mcp-offers.entity.ts';

export type Offers = Pick<McpOffersEntity, 'agents' | 'tasks' | 'tools' | 'knowledge'>;

/** Every list and call of a client reads it. */
export function loadOffers(sql: PreparedSql, spaceId: string): Promise<Offers | null> {
  return firstPreparedRow(
    sql,
    'mcp.offers',
    'select agents, tasks, tools, knowledge from mcp_offers where space_id = $1',
    [spaceId],
  );
}

/** Lets one transaction at a time change the offers of a space, also of one that has none. */
export async function lockOffers(tx: EntityManager, spaceId: string): Promise<void> {
  await rows(tx, "select pg_advisory_xact_lock(hashtext('mcp offers'), hashtext($1))", [spaceId]);
}

export async function storeOffers(tx: EntityManager, spaceId: string, offers: Offers): Promise<void> {
  await tx.upsert(McpOffersEntity, { spaceId, ...offers, updatedAt: () => 'clock_timestamp()' }, ['spaceId']);
}
