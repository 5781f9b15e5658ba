import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The server that stores a response. The previous version writes none, and then it is the server of the model. */
export class ServersOfResponses1763600000070 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table relay_response add column server text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table relay_response drop column server');
  }
}
