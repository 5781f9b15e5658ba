import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { WebhookSecret, WebhookSecretStatus } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit.ts';
import type { AuditedCall } from '../auth/caller.decorator.ts';
import { SecretBox } from '../infra/crypto/secret-box.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { Sweeper } from '../infra/sweeper.ts';

const SECRET_BYTES = 32;
/** Keeps the lock of a space's rotation apart from those of others. */
const ROTATION = 720_014;

interface SecretRow {
  id: string;
  sealed: string;
  createdAt: Date;
}

/** The secret of each space that its webhooks are signed with; the one before it signs for a day more. */
@Injectable()
export class WebhookSecrets implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly secrets: SecretBox,
    private readonly sweeper: Sweeper,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('webhook secrets', (limit) => purgeSecrets(this.database, limit));
  }

  async getStatus(spaceId: string): Promise<WebhookSecretStatus> {
    const row = await current(this.database, spaceId);
    return { configured: row !== null, createdAt: row?.createdAt.toISOString() ?? null };
  }

  /** Makes a new secret; the answer is the only place where it is ever seen. */
  async rotate({ by, requestId }: AuditedCall): Promise<WebhookSecret> {
    const { spaceId } = by;
    return this.database.transaction(async (tx) => {
      // Two rotations at once come one after the other.
      await rows(tx, 'select pg_advisory_xact_lock(hashtextextended($1, $2))', [spaceId, ROTATION]);
      const previous = await firstRow<{ until: Date }>(
        tx,
        `update webhook_secret set expires_at = clock_timestamp() + interval '1 day'
         where space_id = $1 and expires_at is null returning expires_at as until`,
        [spaceId],
      );
      const { row, secret } = await this.create(tx, spaceId);
      if (row === null) throw new Error('The webhook secret was not stored');
      const audit = { action: 'webhook-secret.rotate', targetType: 'webhook-secret', targetId: row.id };
      await recordAudit(tx, by, { ...audit, requestId });
      return {
        secret,
        createdAt: row.createdAt.toISOString(),
        previousUntil: previous?.until.toISOString() ?? null,
      };
    });
  }

  /** What to sign with now, the newest first; a space that has none yet gets one. */
  async getSigningSecrets(spaceId: string): Promise<string[]> {
    if ((await current(this.database, spaceId)) === null)
      await this.database.transaction((tx) => this.create(tx, spaceId));
    const found = await rows<SecretRow>(
      this.database,
      `select id, sealed, created_at as "createdAt" from webhook_secret
       where space_id = $1 and (expires_at is null or expires_at > clock_timestamp()) order by id desc`,
      [spaceId],
    );
    return found.map(({ id, sealed }) => this.secrets.open(placeOf(spaceId, id), sealed));
  }

  /** No row where somebody else has made the current one meanwhile. */
  private async create(
    tx: EntityManager,
    spaceId: string,
  ): Promise<{ row: SecretRow | null; secret: string }> {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const made = await firstRow<{ id: string }>(tx, 'select uuid_v7() as id');
    if (made === null) throw new Error('No id was made');
    const row = await firstRow<SecretRow>(
      tx,
      `insert into webhook_secret (id, space_id, sealed) values ($1, $2, $3)
       on conflict (space_id) where expires_at is null do nothing returning id, sealed, created_at as "createdAt"`,
      [made.id, spaceId, this.secrets.seal(placeOf(spaceId, made.id), secret)],
    );
    return { row, secret };
  }
}

/** Removes secrets that no longer sign; how many, `limit` at most. */
async function purgeSecrets(sql: Sql, limit: number): Promise<number> {
  const purged = await rows(
    sql,
    `delete from webhook_secret where id = any(array(
       select id from webhook_secret where expires_at < statement_timestamp() - interval '1 day' limit $1))
     returning id`,
    [limit],
  );
  return purged.length;
}

function current(sql: Sql, spaceId: string): Promise<SecretRow | null> {
  return firstRow(
    sql,
    `select id, sealed, created_at as "createdAt" from webhook_secret where space_id = $1 and expires_at is null`,
    [spaceId],
  );
}

const placeOf = (spaceId: string, recordId: string) => ({ spaceId, recordId, field: 'webhookSecret' });
