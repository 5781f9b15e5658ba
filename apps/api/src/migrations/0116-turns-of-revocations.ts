import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Providers take turns in being told which tokens are revoked. */
export class TurnsOfRevocations1763600000116 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'create index connection_revoking_turn on connection (provider_id, revoke_at) where revoke_at is not null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index connection_revoking_turn');
  }
}
