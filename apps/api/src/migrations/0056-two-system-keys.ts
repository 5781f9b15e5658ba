import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An application can have two valid system keys, so that a rotation can overlap. */
export class TwoSystemKeys1763600000056 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'create index system_key_of_application on system_key (application_id) where revoked_at is null',
    );
    await db.query('drop index system_key_current');
  }

  /** Only the newest key of an application stays valid. */
  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      update system_key k set revoked_at = clock_timestamp() where revoked_at is null and exists (
        select from system_key n where n.application_id = k.application_id and n.revoked_at is null and n.id > k.id)`);
    await db.query('drop index system_key_of_application');
    await db.query(
      'create unique index system_key_current on system_key (application_id) where revoked_at is null',
    );
  }
}
