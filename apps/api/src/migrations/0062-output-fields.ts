import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which fields of its output a method returns; null: all. */
export class OutputFields1763600000062 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table tool_method add column output_fields json');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table tool_method drop column output_fields');
  }
}
