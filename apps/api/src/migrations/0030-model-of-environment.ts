import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which models follow the environment of the process: those that it added, until an admin changes their address or key. */
export class ModelOfEnvironment1763600000030 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table model add column from_environment boolean not null default false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table model drop column from_environment');
  }
}
