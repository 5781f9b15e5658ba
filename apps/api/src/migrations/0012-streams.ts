import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StreamReaders1763600000012 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Found once each: ended streams stay, their frames do not.
    await db.query('alter table stream add column frames_kept boolean not null default true');
    await db.query(
      'create index stream_frames_kept on stream (ended_at) where frames_kept and ended_at is not null',
    );
    await db.query('create index stream_lease on stream (lease_until) where ended_at is null');
    await db.query('drop index stream_open');
    await db.query('drop index stream_ended');
    // Where the segment's own steps begin, what the turn had used before them, and how it told its end. Null: older.
    await db.query(`
      alter table turn_segment add column first_item int, add column prompt_tokens_before bigint,
        add column completion_tokens_before bigint, add column cost_before numeric(20, 9), add column completed json`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table turn_segment drop column first_item, drop column prompt_tokens_before,
        drop column completion_tokens_before, drop column cost_before, drop column completed`);
    await db.query('create index stream_open on stream (id) where ended_at is null');
    await db.query('create index stream_ended on stream (ended_at)');
    await db.query('drop index stream_lease, stream_frames_kept');
    await db.query('alter table stream drop column frames_kept');
  }
}
