import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Monthly partitions of tables whose key starts with a time-ordered id. */
export class Partitions1763600000021 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The lowest id that uuid_v7() can make at a time.
    await db.query(`
      create function uuid_v7_floor(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
        select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
      $$`);

    // Two processes can create the same partition at once: an advisory lock per table, until the end of the transaction.
    await db.query(`
      create function ensure_partition(parent text, at timestamptz) returns boolean language plpgsql as $$
      declare
        first timestamptz := date_trunc('month', at at time zone 'UTC') at time zone 'UTC';
        next timestamptz := (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC';
        partition text := parent || '_' || to_char(first at time zone 'UTC', 'YYYYMM');
      begin
        if to_regclass(partition) is not null then return false; end if;
        perform pg_advisory_xact_lock(720003, hashtext(parent));
        if to_regclass(partition) is not null then return false; end if;
        -- Attached after its creation: "partition of" would lock out readers and writers of the whole table.
        execute format('create table %I (like %I including defaults including constraints including generated)',
          partition, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          parent, partition, uuid_v7_floor(first), uuid_v7_floor(next));
        return true;
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function ensure_partition(text, timestamptz)');
    await db.query('drop function uuid_v7_floor(timestamptz)');
  }
}
