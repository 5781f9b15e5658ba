import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which key may retrieve a response that a model server stores, and from which model. */
export class RelayResponses1763600000069 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table relay_response (
        space_id uuid not null,
        owner_id uuid not null,
        id text not null,
        model text not null,
        created_at timestamptz not null default clock_timestamp(),
        primary key (space_id, owner_id, id)
      )`);
    await db.query('create index relay_response_age on relay_response (created_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table relay_response');
  }
}
