import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When each sweep last succeeded, so that it is due in its time however often processes restart. */
export class Sweeps1763600000055 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table sweep (
        name text primary key,
        created_at timestamptz(3) not null default clock_timestamp(),
        succeeded_at timestamptz(3),
        failed_at timestamptz(3),
        failures int not null default 0
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table sweep');
  }
}
