import type { EntityManager } from 'typeorm';
import { exactlyOne, firstRow, rows } from '../../infra/database/rows.ts';
import { OAuthClientEntity } from '../grants/oauth-client.entity.ts';
import type { ClientMetadata } from './client-metadata.ts';

/** A client, and whether its document was read within the last hour. */
export type ReadClient = OAuthClientEntity & { isFresh: boolean };

export function findClient(tx: EntityManager, clientId: string): Promise<ReadClient | null> {
  return firstRow<ReadClient>(
    tx,
    `select *, read_at > clock_timestamp() - interval '1 hour' as is_fresh from oauth_client where client_id = $1`,
    [clientId],
  );
}

export function insertRegistered(
  tx: EntityManager,
  { name, redirectUris }: ClientMetadata,
): Promise<OAuthClientEntity> {
  return exactlyOne<OAuthClientEntity>(
    tx,
    `insert into oauth_client (id, client_id, is_document, name, redirect_uris)
     select id, id::text, false, $1, $2 from (select uuid_v7() as id) new returning *`,
    [name, redirectUris],
  );
}

/** Stores what the document of a client says now. */
export function storeDocument(
  tx: EntityManager,
  clientId: string,
  { name, redirectUris }: ClientMetadata,
): Promise<OAuthClientEntity> {
  return exactlyOne<OAuthClientEntity>(
    tx,
    `insert into oauth_client as c (client_id, is_document, name, redirect_uris) values ($1, true, $2, $3)
     on conflict (client_id) do update
       set name = excluded.name, redirect_uris = excluded.redirect_uris, read_at = clock_timestamp()
     returning c.*`,
    [clientId, name, redirectUris],
  );
}

/** Keeps a client from being purged until the transaction ends. Returns null if it was. */
export async function lockClient(tx: EntityManager, id: string): Promise<OAuthClientEntity | null> {
  const [client] = await rows<OAuthClientEntity>(tx, 'select * from oauth_client where id = $1 for share', [
    id,
  ]);
  return client ?? null;
}
