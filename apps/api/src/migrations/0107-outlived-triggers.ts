import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the triggers of migrations 0032, 0045, and 0051: they served processes that are older than the previous version. The
 * previous version still counts changes of a turn's status in `status_changes`; the next migration that may assume this
 * version drops the column.
 */
export class OutlivedTriggers1763600000107 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('drop trigger agent_job_follow_turn on turn');
    await db.query('drop trigger run_payload_for_previous_version on run');
    await db.query('drop trigger delivery_left_out on delivery');
    await db.query('drop trigger envelope_replay_limit on envelope_replay');
    await db.query(`drop function agent_job_follow_turn, run_payload_for_previous_version, refuse_left_out_delivery,
      refuse_unlimited_replay`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      create function agent_job_follow_turn() returns trigger language plpgsql as $$
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
    await db.query(`
      create trigger agent_job_follow_turn after update of status on turn
      for each row when (old.status is distinct from new.status and old.status_changes = new.status_changes)
      execute function agent_job_follow_turn()`);
    await db.query(`
      create function run_payload_for_previous_version() returns trigger language plpgsql as $$
      begin
        if coalesce(current_setting('platform.reads_envelopes', true), '') <> 'on' then
          new.payload := envelope_payload(new.envelope_id);
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger run_payload_for_previous_version before update of status on run for each row
      when (old.status = 'QUEUED' and new.status = 'RUNNING' and new.payload is null and new.envelope_id is not null)
      execute function run_payload_for_previous_version()`);
    await db.query(`
      create function refuse_left_out_delivery() returns trigger language plpgsql as $$
      begin
        if exists (select from envelope_replay where envelope_id = new.envelope_id and generation = new.generation
            and limited_to is not null and new.subscription_id <> all(limited_to)) then
          raise exception 'Subscription % is left out of replay % of envelope %', new.subscription_id, new.generation,
            new.envelope_id;
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger delivery_left_out before insert on delivery for each row when (new.generation > 0)
      execute function refuse_left_out_delivery()`);
    await db.query(`
      create function refuse_unlimited_replay() returns trigger language plpgsql as $$
      begin
        if exists (select from bulk_replay where id = new.bulk_replay_id
            and coalesce(query ->> 'only', query ->> 'subscriptionIds') is not null) then
          raise exception 'Bulk replay % is limited', new.bulk_replay_id;
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger envelope_replay_limit before insert on envelope_replay for each row
      when (new.bulk_replay_id is not null and new.limited_to is null) execute function refuse_unlimited_replay()`);
  }
}
