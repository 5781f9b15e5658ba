import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex } from './partitioned-index.ts';

/**
 * Runs read large payloads from their envelope. A process of the previous version reads only the run, so a trigger copies the
 * payload when such a process claims one; the next migration that may assume this version drops it with its function.
 */
export class PayloadsOfRuns1763600000045 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create or replace function envelope_payload(envelope uuid) returns json language sql stable strict as $$
        select payload from envelope where id = $1
      $$`);
    // That a run with a trigger has a payload.
    await db.query('alter table run drop constraint if exists run_check1');
    // Few runs: those that must receive a copy before the month of their envelope is dropped.
    await createPartitionedIndex(
      db,
      'run_without_payload',
      'run',
      '(envelope_id, id) where payload is null and envelope_id is not null',
    );
    await db.query(`
      create or replace function run_payload_for_previous_version() returns trigger language plpgsql as $$
      begin
        if coalesce(current_setting('platform.reads_envelopes', true), '') <> 'on' then
          new.payload := envelope_payload(new.envelope_id);
        end if;
        return new;
      end $$`);
    await db.query(`
      create or replace trigger run_payload_for_previous_version before update of status on run for each row
      when (old.status = 'QUEUED' and new.status = 'RUNNING' and new.payload is null and new.envelope_id is not null)
      execute function run_payload_for_previous_version()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger run_payload_for_previous_version on run');
    await db.query('drop function run_payload_for_previous_version()');
    await db.query('drop index run_without_payload');
    await db.query(
      `update run set payload = coalesce(envelope_payload(envelope_id), '{}') where payload is null and envelope_id is not null`,
    );
    await db.query('alter table run add constraint run_check1 check ((trigger is null) = (payload is null))');
    await db.query('drop function envelope_payload(uuid)');
  }
}
