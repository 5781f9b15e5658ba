import { Injectable } from '@nestjs/common';
import type { CreatedSystemKey, SystemKey, SystemKeyPage } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import {
  ApplicationIdentitiesService,
  systemKeyPrefix,
} from '../auth/applications/application-identities.service.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import { requireUuid } from '../auth/principals/resource-scope.ts';
import { Database } from '../infra/database/database.ts';
import { conflict, notFound } from '../infra/errors/app-error.ts';
import { auditApplication } from './application-audit.ts';

/** Enough to change over from one to the next. */
const MAX_VALID = 2;

/** The system keys of an application: a second one can be valid while the application changes over to it. */
@Injectable()
export class SystemKeysService {
  constructor(
    private readonly database: Database,
    private readonly identities: ApplicationIdentitiesService,
  ) {}

  async list(spaceId: string, identifier: string): Promise<SystemKeyPage> {
    const { manager } = this.database;
    const application = await this.identities.find(manager, spaceId, identifier);
    if (!application) throw notFound(`Application ${identifier} does not exist`);
    return { items: await this.listKeys(manager, application.id), nextCursor: null };
  }

  create(call: AuditedCall, identifier: string): Promise<CreatedSystemKey> {
    const { by } = call;
    const { spaceId } = by;
    return this.database.transaction(
      async (tx) => {
        const application = await this.identities.lock(tx, spaceId, identifier);
        if (!application?.installed) throw notFound(`Application ${identifier} is not installed`);
        const { id: applicationId } = application;
        if ((await this.identities.listKeys(tx, applicationId)).length >= MAX_VALID)
          throw conflict(`Application ${identifier} has two valid system keys: revoke one of them first`);
        const { key, publicId } = await this.identities.createKey(tx, applicationId, by);
        const prefix = systemKeyPrefix(publicId);
        await auditApplication(tx, call, 'application.create-key', applicationId, { identifier, prefix });
        const created = (await this.listKeys(tx, applicationId)).find((one) => one.prefix === prefix);
        if (!created) throw new Error(`The system key ${prefix} was not stored`);
        return { ...created, systemKey: key };
      },
      {
        committed: async ({ id }) =>
          (await this.list(spaceId, identifier)).items.some((one) => one.id === id),
      },
    );
  }

  revoke(call: AuditedCall, identifier: string, keyId: string): Promise<void> {
    const { by } = call;
    const { spaceId } = by;
    const label = `System key ${keyId}`;
    requireUuid(keyId, label);
    return this.database.transaction(
      async (tx) => {
        const application = await this.identities.lock(tx, spaceId, identifier);
        if (!application) throw notFound(`Application ${identifier} does not exist`);
        const revoked = await this.identities.revokeKey(tx, application.id, keyId);
        if (!revoked) throw notFound(`${label} of application ${identifier} does not exist`);
        await auditApplication(tx, call, 'application.revoke-key', application.id, {
          identifier,
          prefix: systemKeyPrefix(revoked.publicId),
        });
      },
      {
        committed: async () => (await this.list(spaceId, identifier)).items.every(({ id }) => id !== keyId),
      },
    );
  }

  private async listKeys(tx: EntityManager, applicationId: string): Promise<SystemKey[]> {
    const keys = await this.identities.listKeys(tx, applicationId);
    return keys.map(({ id, publicId, createdAt, lastUsedAt, apiKeyId, apiKeyName }) => ({
      id,
      prefix: systemKeyPrefix(publicId),
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
      endsWithApiKey: apiKeyId === null ? null : { id: apiKeyId, name: apiKeyName ?? '' },
    }));
  }
}
