import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { WebhookSecret, WebhookSecretStatus } from '@platform/contracts';
import { IsNull, Raw, type EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { insertRowIfAbsent, updateRows } from '../../infra/database/entity-rows.ts';
import { exactlyOne, rows } from '../../infra/database/rows.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { WebhookSecretEntity } from './webhook-secret.entity.ts';
import { purgeSecrets } from './webhook-secrets.store.ts';

const SECRET_BYTES = 32;
/** Distinguishes the advisory lock of a rotation from others on the same space. */
const ROTATION = 720_014;

/** The secrets that sign the webhooks of a space: the current one, and for one more day the one before it. */
@Injectable()
export class WebhookSecretsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly sweeper: SweeperWorker,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('webhook secrets', (limit) => purgeSecrets(this.database, limit));
  }

  async getStatus(spaceId: string): Promise<WebhookSecretStatus> {
    const current = await this.findCurrent(spaceId);
    return { configured: current !== null, createdAt: current?.createdAt.toISOString() ?? null };
  }

  /** Creates a new secret. Only the result ever contains it. */
  async rotate({ by, requestId }: AuditedCall): Promise<WebhookSecret> {
    const { spaceId } = by;
    return this.database.transaction(async (tx) => {
      await lockSecrets(tx, spaceId);
      const current = { spaceId, expiresAt: IsNull() };
      const expiresAt = () => "clock_timestamp() + interval '1 day'";
      const [previous] = await updateRows(tx, WebhookSecretEntity, current, { expiresAt });
      const { row, secret } = await this.create(tx, spaceId);
      if (row === null) throw new Error('The webhook secret was not stored');
      const audit = {
        action: 'webhook-secret.rotate' as const,
        targetType: 'webhook-secret',
        targetId: row.id,
      };
      await recordAudit(tx, by, { ...audit, requestId });
      return {
        secret,
        createdAt: row.createdAt.toISOString(),
        previousUntil: previous?.expiresAt?.toISOString() ?? null,
      };
    });
  }

  /** Returns the secrets to sign with, newest first. Creates one if the space has none. */
  async getSigningSecrets(spaceId: string): Promise<string[]> {
    if ((await this.findCurrent(spaceId)) === null)
      await this.database.transaction(async (tx) => {
        await lockSecrets(tx, spaceId);
        return this.create(tx, spaceId);
      });
    const found = await this.database.manager.find(WebhookSecretEntity, {
      where: [
        { spaceId, expiresAt: IsNull() },
        { spaceId, expiresAt: Raw((column) => `${column} > clock_timestamp()`) },
      ],
      order: { id: 'DESC' },
    });
    return found.map(({ id, sealed }) => this.secrets.open(placeOf(spaceId, id), sealed));
  }

  private findCurrent(spaceId: string): Promise<WebhookSecretEntity | null> {
    return this.database.manager.findOneBy(WebhookSecretEntity, { spaceId, expiresAt: IsNull() });
  }

  /** The row is null if another transaction has created the current secret meanwhile. */
  private async create(
    tx: EntityManager,
    spaceId: string,
  ): Promise<{ row: WebhookSecretEntity | null; secret: string }> {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const { id } = await exactlyOne<{ id: string }>(tx, 'select uuid_v7() as id');
    const sealed = this.secrets.seal(placeOf(spaceId, id), secret);
    const row = await insertRowIfAbsent(tx, WebhookSecretEntity, { id, spaceId, sealed });
    return { row, secret };
  }
}

/** Concurrent rotations wait for each other, and for the first secret, which they replace. */
async function lockSecrets(tx: EntityManager, spaceId: string): Promise<void> {
  await rows(tx, 'select pg_advisory_xact_lock(hashtextextended($1, $2))', [spaceId, ROTATION]);
}

const placeOf = (spaceId: string, recordId: string) => ({ spaceId, recordId, field: 'webhookSecret' });
