import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Time-ordered ids made by the database, so that PostgreSQL 15 to 18 all serve. Behind the milliseconds stands their
 * fraction in 4,096ths, so that the ids of one server also sort within a millisecond.
 */
export class Foundation1763600000001 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // 48 bits of milliseconds, the version, 12 bits of fraction; the variant and the rest are those of a random id.
    await db.query(`
      create function uuid_v7() returns uuid language sql volatile parallel safe as $$
        select (
          overlay(
            lpad(to_hex((extract(epoch from clock_timestamp()) * 1000 * 4096)::bigint), 15, '0')
            placing '7' from 13 for 0
          ) || right(gen_random_uuid()::text, 17)
        )::uuid
      $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function uuid_v7()');
  }
}
