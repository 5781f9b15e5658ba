import type { EntityManager } from 'typeorm';
import { toEntities } from '../../infra/database/entity-rows.ts';
import { affected, rows, type Sql } from '../../infra/database/rows.ts';
import type { ObjectLiteral } from 'typeorm';
import { ConnectionSignInEntity } from '../records/connection-sign-in.entity.ts';

/** Takes a sign-in that is still valid, so that nobody else can: each has one answer. */
export async function takeSignIn(
  tx: EntityManager,
  stateHash: Buffer,
  browserHash: Buffer,
): Promise<ConnectionSignInEntity | null> {
  const result = await tx
    .createQueryBuilder()
    .delete()
    .from(ConnectionSignInEntity)
    .where('state_hash = :stateHash and browser_hash = :browserHash and expires_at > clock_timestamp()', {
      stateHash,
      browserHash,
    })
    .returning('*')
    .execute();
  const [taken] = toEntities(tx.dataSource, ConnectionSignInEntity, result.raw as ObjectLiteral[]);
  return taken ?? null;
}

/** Keeps only the newest of a person, so that nobody fills the table. */
export async function trimSignIns(sql: Sql, spaceId: string, userId: string, kept: number): Promise<void> {
  await rows(
    sql,
    `delete from connection_sign_in where state_hash in (
       select state_hash from connection_sign_in where space_id = $1 and user_id = $2
       order by expires_at desc offset $3)`,
    [spaceId, userId, kept],
  );
}

export function purgeSignIns(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from connection_sign_in where state_hash = any(array(
       select state_hash from connection_sign_in where expires_at < statement_timestamp() order by expires_at limit $1))`,
    [limit],
  );
}
