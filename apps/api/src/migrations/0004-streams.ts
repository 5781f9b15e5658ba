import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Streams1763600000004 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table stream (
        id uuid primary key default uuid_v7(),
        segment int not null,
        claim uuid not null,
        lease_until timestamptz not null,
        cancel_requested_at timestamptz,
        last_seq int,
        ended_at timestamptz,
        created_at timestamptz not null default clock_timestamp(),
        check ((ended_at is null) = (last_seq is null))
      )`);
    await db.query('create index stream_open on stream (id) where ended_at is null');
    await db.query('create index stream_ended on stream (ended_at)');
    // bytea: frames are kept as the exact bytes that were sent.
    await db.query(`
      create table stream_frame (
        stream_id uuid not null references stream (id),
        from_seq int not null,
        to_seq int not null check (to_seq >= from_seq),
        data bytea not null,
        primary key (stream_id, from_seq)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table stream_frame, stream');
  }
}
