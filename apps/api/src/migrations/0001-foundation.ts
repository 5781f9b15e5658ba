import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Time-ordered ids made by the database, so that PostgreSQL 15 to 18 all serve. */
export class Foundation1763600000001 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function uuid_v7() returns uuid language sql volatile parallel safe as $$
        select encode(
          set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
              from 1 for 6),
            52, 1), 53, 1),
          'hex')::uuid
      $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function uuid_v7()');
  }
}
