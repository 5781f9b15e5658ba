import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex } from './partitioned-index.ts';

/** What becomes of deliveries, beside what becomes of envelopes. */
export class DeliveryOutcomes1763600000049 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    // Deliveries that started no run although their filter matched, such as those of a disabled task.
    await db.query('alter table envelope add column if not exists missed_count int not null default 0');
    await createPartitionedIndex(
      db,
      'envelope_missed',
      'envelope',
      '(space_id, id desc) where missed_count > 0',
    );
    // Deliveries count in the minute of their dispatch, envelopes in that of their emission.
    for (const table of ['event_minute', 'event_hour']) {
      await db.query(`
        alter table ${table}
          add column if not exists missed int not null default 0,
          add column if not exists runs_succeeded int not null default 0,
          add column if not exists runs_failed int not null default 0,
          add column if not exists runs_cancelled int not null default 0,
          add column if not exists runs_waiting int not null default 0`);
    }
    // When a minute is counted again because runs of it wait.
    await db.query('alter table event_minute add column if not exists count_at timestamptz');
    await db.query(
      'create index if not exists event_minute_waiting on event_minute (count_at) where count_at is not null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index event_minute_waiting, envelope_missed');
    await db.query('alter table event_minute drop column count_at');
    for (const table of ['event_minute', 'event_hour']) {
      await db.query(`
        alter table ${table} drop column missed, drop column runs_succeeded, drop column runs_failed,
          drop column runs_cancelled, drop column runs_waiting`);
    }
    await db.query('alter table envelope drop column missed_count');
  }
}
