import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { mintKey, type MintedKey } from '../../infra/crypto/api-tokens.ts';
import { insertRow, updateRows } from '../../infra/database/entity-rows.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { isText } from '../../infra/requests/text.ts';
import {
  findApplication,
  insertApplication,
  listApplicationCredentials,
  listApplicationNames,
  listInstalledSpaces,
  listSystemKeys,
  lockApplication,
  restoreApplication,
  uninstallApplication,
  type ApplicationCredentials,
  type ApplicationIdentity,
  type SystemKeySummary,
} from './applications.store.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { SystemKeyEntity } from '../credentials/system-key.entity.ts';

/** Which applications a space has or had, and the keys they call with. */
@Injectable()
export class ApplicationIdentitiesService {
  /** Returns an application, whether or not it is installed at present. */
  async find(sql: Sql, spaceId: string, identifier: string): Promise<ApplicationIdentity | null> {
    return isText(identifier) ? findApplication(sql, spaceId, identifier) : null;
  }

  /** As `find`; until the transaction ends, no other can install, upgrade, or uninstall the application. */
  async lock(tx: EntityManager, spaceId: string, identifier: string): Promise<ApplicationIdentity | null> {
    return isText(identifier) ? lockApplication(tx, spaceId, identifier) : null;
  }

  /** Lists the spaces after one of them that have an application installed, in the order of their ids. */
  listSpaces(sql: Sql, identifier: string, afterSpaceId: string | null, limit: number): Promise<string[]> {
    return listInstalledSpaces(sql, identifier, afterSpaceId, limit);
  }

  /** Returns the identifiers of applications by id; unknown ids are omitted. */
  async names(sql: Sql, spaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const found = await listApplicationNames(sql, spaceId, ids);
    return new Map(found.map(({ id, identifier }) => [id, identifier]));
  }

  /** Returns applications by id, each with what is visible of its key. */
  async describe(
    sql: Sql,
    spaceId: string,
    ids: readonly string[],
  ): Promise<Map<string, ApplicationCredentials>> {
    if (ids.length === 0) return new Map();
    const found = await listApplicationCredentials(sql, spaceId, ids);
    return new Map(found.map((application) => [application.id, application]));
  }

  /** Marks an application as installed and locks it. `isNew` is false if it was installed already. */
  async install(
    tx: EntityManager,
    spaceId: string,
    identifier: string,
  ): Promise<{ id: string; isNew: boolean }> {
    await insertApplication(tx, spaceId, identifier);
    const application = await lockApplication(tx, spaceId, identifier);
    if (!application) throw new Error(`The application ${identifier} was not inserted`);
    const isNew = !application.installed;
    if (isNew) await restoreApplication(tx, application.id);
    return { id: application.id, isNew };
  }

  /** The key stays valid, so that an emit of the application can say that it is not installed. */
  uninstall(tx: EntityManager, applicationId: string): Promise<void> {
    return uninstallApplication(tx, applicationId);
  }

  /** Lists the valid keys of an application, newest first. */
  listKeys(sql: Sql, applicationId: string): Promise<SystemKeySummary[]> {
    return listSystemKeys(sql, applicationId);
  }

  /** Makes a key. One that an API key makes ends with that API key. */
  async createKey(
    tx: EntityManager,
    applicationId: string,
    by: Pick<UserPrincipal, 'credential'>,
  ): Promise<MintedKey> {
    const minted = mintKey('app');
    const { publicId, secretHash } = minted;
    const apiKeyId = by.credential.kind === 'api-key' ? by.credential.id : null;
    await insertRow(tx, SystemKeyEntity, { applicationId, apiKeyId, publicId, secretHash });
    return minted;
  }

  /** Makes the only valid key of an application: all others stop working when the transaction commits. */
  async rotateKey(
    tx: EntityManager,
    applicationId: string,
    by: Pick<UserPrincipal, 'credential'>,
  ): Promise<MintedKey> {
    await this.revokeKeys(tx, { applicationId });
    return this.createKey(tx, applicationId, by);
  }

  /** Revokes a key of an application. Returns null if it has no such key. */
  async revokeKey(tx: EntityManager, applicationId: string, id: string): Promise<SystemKeyEntity | null> {
    const [revoked] = await this.revokeKeys(tx, { applicationId, id });
    return revoked ?? null;
  }

  private revokeKeys(
    tx: EntityManager,
    which: { applicationId: string; id?: string },
  ): Promise<SystemKeyEntity[]> {
    const now = { revokedAt: () => 'clock_timestamp()' };
    return updateRows(tx, SystemKeyEntity, { ...which, revokedAt: IsNull() }, now);
  }
}

/** The beginning of a system key, which is not a secret. */
export function systemKeyPrefix(publicId: string): string {
  return `app_${publicId}`;
}
