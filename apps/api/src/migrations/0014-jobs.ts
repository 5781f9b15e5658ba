import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A job keeps its own status, waits in a queue per user, and follows its turn by a trigger. */
export class JobQueue1763600000014 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // queue_state: READY waits for a place, STARTING is being claimed by one process until starting_until, PARKED
    // waits for its session; null once it has started or ended. changes counts what the trigger below has written.
    await db.query(`
      alter table agent_job
        add column status text not null default 'QUEUED' check (status in
          ('QUEUED', 'RUNNING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
        add column changes int not null default 0,
        add column error json,
        add column finished_at timestamptz,
        add column session_id uuid,
        add column queue_state text default 'READY' check (queue_state in ('READY', 'STARTING', 'PARKED')),
        add column starting_until timestamptz,
        add column causation_run_id uuid`);
    await db.query(`
      update agent_job j set session_id = t.session_id, error = t.error, finished_at = t.finished_at,
        queue_state = case when t.status = 'QUEUED' then 'READY' end,
        status = case
          when t.status = 'CANCELLED' and j.timed_out then 'TIMED_OUT'
          when t.status = 'FAILED' and t.error ->> 'code' = 'INTERRUPTED' then
            case
              when j.cancel_requested then 'CANCELLED'
              when j.timed_out then 'TIMED_OUT'
              when j.claimed_again or j.next_publish_at is null then 'FAILED'
              else 'RUNNING'
            end
          else t.status
        end
      from turn t where t.id = j.turn_id`);
    // A hint about a new job only saves the wait for the next look at the queue; this is when its time is over.
    await db.query(
      `update agent_job set next_publish_at = clock_timestamp() where next_publish_at is not null and status <> 'QUEUED'`,
    );

    await db.query(`
      create index agent_job_queue on agent_job (queue_state, user_id, id) where queue_state is not null`);
    await db.query(`
      create index agent_job_parked on agent_job (session_id, id) where queue_state = 'PARKED'`);
    await db.query(`
      create index agent_job_hinted on agent_job (next_publish_at) where next_publish_at is not null and hints > 0`);
    await db.query('create index agent_job_list_status on agent_job (space_id, user_id, status, id desc)');
    await db.query('create index agent_job_list_agent on agent_job (space_id, user_id, agent_id, id desc)');
    await db.query(`
      create index webhook_delivery_ended on webhook_delivery (created_at) where next_publish_at is null`);
    await db.query(`
      create index webhook_secret_expired on webhook_secret (expires_at) where expires_at is not null`);

    // Whoever moves a turn, of whatever version, moves its job in the same transaction and leaves it to be looked at;
    // and where a session has become free, its oldest parked job is ready again. What has ended never moves again.
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
    await db.query(`
      create trigger agent_job_follow_turn after update of status on turn
      for each row when (old.status is distinct from new.status) execute function agent_job_follow_turn()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger agent_job_follow_turn on turn');
    await db.query('drop function agent_job_follow_turn()');
    await db.query('drop index webhook_secret_expired, webhook_delivery_ended');
    await db.query(`
      alter table agent_job drop column status, drop column changes, drop column error, drop column finished_at,
        drop column session_id, drop column queue_state, drop column starting_until, drop column causation_run_id`);
    await db.query('drop index agent_job_hinted, agent_job_list_agent');
  }
}
