import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What queries ask of a turn's error and of a step's text gets columns of its own: operators on JSON refuse a document
 * that contains U+0000. The columns that still said "item" say "step".
 */
export class TurnColumns1763600000019 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table turn_segment rename column first_item to first_step');
    await db.query('alter table context_compaction rename column mark_item to mark_step');
    await db.query('alter table context_compaction rename column at_item to at_step');
    await db.query('alter table context_page rename column items to steps');

    await db.query('alter table turn add column error_code text');
    await db.query(`update turn set error_code = error ->> 'code' where error is not null`);
    await db.query('alter table turn_step add column is_silent boolean not null default false');
    await db.query(`
      update turn_step set is_silent = true
      where kind in ('model', 'partial') and content::text like '%"text":""%'`);
    await db.query(`
      create or replace function agent_job_follow_turn() returns trigger language plpgsql as $$
      declare
        job agent_job%rowtype;
        follows text;
      begin
        select * into job from agent_job where turn_id = new.id for no key update;
        if found and job.status in ('QUEUED', 'RUNNING', 'INPUT_REQUIRED') then
          follows := case
            when new.status = 'CANCELLED' and job.timed_out then 'TIMED_OUT'
            when new.status = 'FAILED' and new.error_code = 'INTERRUPTED' then
              case
                when job.cancel_requested then 'CANCELLED'
                when job.timed_out then 'TIMED_OUT'
                when job.claimed_again then 'FAILED'
                else 'RUNNING'
              end
            else new.status
          end;
          update agent_job set status = follows, changes = changes + 1, hints = 0,
            queue_state = null, starting_until = null, next_publish_at = clock_timestamp(),
            error = case when follows in ('FAILED', 'CANCELLED') then new.error end,
            finished_at = case when follows in ('QUEUED', 'RUNNING', 'INPUT_REQUIRED') then null else new.finished_at end
          where id = job.id;
        end if;
        if new.status not in ('QUEUED', 'RUNNING') then
          update agent_job set queue_state = 'READY' where queue_state = 'PARKED' and id = (
            select id from agent_job where session_id = new.session_id and queue_state = 'PARKED'
            order by id limit 1);
        end if;
        return null;
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      create or replace function agent_job_follow_turn() returns trigger language plpgsql as $$
      declare
        job agent_job%rowtype;
        follows text;
      begin
        select * into job from agent_job where turn_id = new.id for no key update;
        if found and job.status in ('QUEUED', 'RUNNING', 'INPUT_REQUIRED') then
          follows := case
            when new.status = 'CANCELLED' and job.timed_out then 'TIMED_OUT'
            when new.status = 'FAILED' and new.error ->> 'code' = 'INTERRUPTED' then
              case
                when job.cancel_requested then 'CANCELLED'
                when job.timed_out then 'TIMED_OUT'
                when job.claimed_again then 'FAILED'
                else 'RUNNING'
              end
            else new.status
          end;
          update agent_job set status = follows, changes = changes + 1, hints = 0,
            queue_state = null, starting_until = null, next_publish_at = clock_timestamp(),
            error = case when follows in ('FAILED', 'CANCELLED') then new.error end,
            finished_at = case when follows in ('QUEUED', 'RUNNING', 'INPUT_REQUIRED') then null else new.finished_at end
          where id = job.id;
        end if;
        if new.status not in ('QUEUED', 'RUNNING') then
          update agent_job set queue_state = 'READY' where queue_state = 'PARKED' and id = (
            select id from agent_job where session_id = new.session_id and queue_state = 'PARKED'
            order by id limit 1);
        end if;
        return null;
      end $$`);
    await db.query('alter table turn_step drop column is_silent');
    await db.query('alter table turn drop column error_code');

    await db.query('alter table context_page rename column steps to items');
    await db.query('alter table context_compaction rename column at_step to at_item');
    await db.query('alter table context_compaction rename column mark_step to mark_item');
    await db.query('alter table turn_segment rename column first_step to first_item');
  }
}
