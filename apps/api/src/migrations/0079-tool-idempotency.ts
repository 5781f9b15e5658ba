import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The header that names the effect of a call, and whether the server has an effect once for each name. */
export class ToolIdempotency1763600000079 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table tool add column idempotency json not null
      default '{"header":"Idempotency-Key","isHonored":false}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table tool drop column idempotency');
  }
}
