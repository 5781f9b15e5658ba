import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RateWindows1763600000015 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Counts that hold for all processes together. The key is a digest: nobody learns from it who tried to sign in.
    await db.query(`
      create table rate_window (
        key bytea primary key,
        started_at timestamptz not null,
        previous_count int not null,
        current_count int not null
      )`);
    await db.query('create index rate_window_started on rate_window (started_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table rate_window');
  }
}
