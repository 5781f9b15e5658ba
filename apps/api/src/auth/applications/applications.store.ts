import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { IS_VALID_SYSTEM_KEY } from '../credentials/system-keys.store.ts';

/** What other modules may know of an application. */
export interface ApplicationIdentity {
  id: string;
  identifier: string;
  installed: boolean;
}

/** An application with what an admin sees of its key. */
export interface ApplicationCredentials extends ApplicationIdentity {
  uninstalledAt: Date | null;
  /** Of the newest valid key; null if there is none. */
  keyPublicId: string | null;
  /** When any of the valid keys was used last. */
  keyLastUsedAt: Date | null;
}

/** A valid key of an application, and the API key with which it ends. */
export interface SystemKeySummary {
  id: string;
  publicId: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  apiKeyId: string | null;
  apiKeyName: string | null;
}

const FIND_APPLICATION = `select id, identifier, uninstalled_at is null as installed from application
  where space_id = $1 and identifier = $2`;

export function findApplication(
  sql: Sql,
  spaceId: string,
  identifier: string,
): Promise<ApplicationIdentity | null> {
  return firstRow(sql, FIND_APPLICATION, [spaceId, identifier]);
}

/** As `findApplication`; no other transaction can install, upgrade, or uninstall it until this one ends. */
export function lockApplication(
  sql: Sql,
  spaceId: string,
  identifier: string,
): Promise<ApplicationIdentity | null> {
  // `no key update` does not block inserts that refer to the row by a foreign key.
  return firstRow(sql, `${FIND_APPLICATION} for no key update`, [spaceId, identifier]);
}

/** Inserts an application that is not installed yet; does nothing if the space has or had it. */
export async function insertApplication(sql: Sql, spaceId: string, identifier: string): Promise<void> {
  await rows(
    sql,
    `insert into application (space_id, identifier, uninstalled_at) values ($1, $2, clock_timestamp())
     on conflict (space_id, identifier) do nothing`,
    [spaceId, identifier],
  );
}

export async function restoreApplication(sql: Sql, applicationId: string): Promise<void> {
  await rows(sql, 'update application set uninstalled_at = null where id = $1', [applicationId]);
}

export async function uninstallApplication(sql: Sql, applicationId: string): Promise<void> {
  await rows(
    sql,
    'update application set uninstalled_at = clock_timestamp() where id = $1 and uninstalled_at is null',
    [applicationId],
  );
}

/** Lists the spaces after one of them that have an application installed, in the order of their ids. */
export async function listInstalledSpaces(
  sql: Sql,
  identifier: string,
  afterSpaceId: string | null,
  limit: number,
): Promise<string[]> {
  const found = await rows<{ spaceId: string }>(
    sql,
    `select space_id from application
     where space_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') and identifier = $1
       and uninstalled_at is null
     order by space_id limit $3`,
    [identifier, afterSpaceId, limit],
  );
  return found.map(({ spaceId }) => spaceId);
}

export function listApplicationNames(
  sql: Sql,
  spaceId: string,
  ids: readonly string[],
): Promise<{ id: string; identifier: string }[]> {
  return rows(sql, 'select id, identifier from application where space_id = $1 and id = any($2::uuid[])', [
    spaceId,
    ids,
  ]);
}

export function listApplicationCredentials(
  sql: Sql,
  spaceId: string,
  ids: readonly string[],
): Promise<ApplicationCredentials[]> {
  return rows(
    sql,
    `select a.id, a.identifier, a.uninstalled_at is null as installed, a.uninstalled_at,
       k.public_id as key_public_id, k.last_used_at as key_last_used_at
     from application a left join lateral (
       select (array_agg(k.public_id order by k.id desc))[1] as public_id, max(k.last_used_at) as last_used_at
       from system_key k where k.application_id = a.id and ${IS_VALID_SYSTEM_KEY}
     ) k on true
     where a.space_id = $1 and a.id = any($2::uuid[])`,
    [spaceId, ids],
  );
}

/** Lists the valid keys of an application, newest first. */
export function listSystemKeys(sql: Sql, applicationId: string): Promise<SystemKeySummary[]> {
  return rows(
    sql,
    `select k.id, k.public_id, k.created_at, k.last_used_at, k.api_key_id, a.name as api_key_name
     from system_key k left join api_key a on a.id = k.api_key_id
     where k.application_id = $1 and ${IS_VALID_SYSTEM_KEY} order by k.id desc`,
    [applicationId],
  );
}
