import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the runs that go on when somebody has connected. */
export class AwaitedConnections1763600000096 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create index question_connection on question (space_id, (need ->> 'path'), id)
        where purpose = 'connection' and status = 'OPEN' and run_id is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index question_connection');
  }
}
