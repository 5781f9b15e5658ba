import type { EntityManager } from 'typeorm';
import { rows } from '../../infra/database/rows.ts';
import { ToolConfigurationEntity } from './tool-configuration.entity.ts';

export function findConfiguration(
  tx: EntityManager,
  spaceId: string,
  toolName: string,
): Promise<ToolConfigurationEntity | null> {
  return tx.findOneBy(ToolConfigurationEntity, { spaceId, toolName });
}

/** Reads the configuration for a change of it: other changes wait, also of one that does not exist yet. */
export async function lockConfiguration(
  tx: EntityManager,
  spaceId: string,
  toolName: string,
): Promise<ToolConfigurationEntity | null> {
  await rows(tx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `tool-configuration:${spaceId}:${toolName}`,
  ]);
  return findConfiguration(tx, spaceId, toolName);
}

export async function storeConfiguration(
  tx: EntityManager,
  { spaceId, toolName, configuration, secret, updatedBy }: Omit<ToolConfigurationEntity, 'updatedAt'>,
): Promise<void> {
  await rows(
    tx,
    `insert into tool_configuration (space_id, tool_name, configuration, secret, updated_by) values ($1, $2, $3, $4, $5)
     on conflict (space_id, tool_name) do update
     set configuration = excluded.configuration, secret = excluded.secret, updated_by = excluded.updated_by,
         updated_at = clock_timestamp()`,
    [spaceId, toolName, JSON.stringify(configuration), secret, updatedBy],
  );
}
