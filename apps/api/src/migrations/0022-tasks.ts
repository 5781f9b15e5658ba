import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks, their runs, and the queue of the runs that are not finished. */
export class Tasks1763600000022 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table task (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        owner_user_id uuid not null,
        name text not null,
        type text not null check (type in ('MANUAL', 'SCHEDULE', 'EVENT')),
        schedule json,
        workflow json not null,
        concurrency int not null check (concurrency between 1 and 100),
        timeout_ms int not null,
        retry json not null,
        enabled boolean not null default true,
        disabled_reason text,
        next_due_at timestamptz(3),
        application_id uuid,
        application_key text,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        retired_at timestamptz(3),
        deleted_at timestamptz(3),
        unique (space_id, id),
        foreign key (space_id, owner_user_id) references membership (space_id, user_id),
        foreign key (space_id, application_id) references application (space_id, id),
        check ((application_id is null) = (application_key is null)),
        check ((type = 'SCHEDULE') = (schedule is not null))
      )`);
    await db.query(
      'create index task_list on task (space_id, id desc) where deleted_at is null and retired_at is null',
    );
    await db.query(
      'create index task_list_type on task (space_id, type, id desc) where deleted_at is null and retired_at is null',
    );
    await db.query(
      'create index task_owner on task (space_id, owner_user_id, id desc) where deleted_at is null and retired_at is null',
    );
    await db.query(
      'create unique index task_of_application on task (application_id, application_key) where application_key is not null',
    );
    await db.query('create index task_due on task (next_due_at) where next_due_at is not null');

    // The event columns are set together: a run without an envelope was started by a person or a schedule.
    await db.query(`
      create table run (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        task_id uuid not null,
        owner_user_id uuid not null,
        origin text not null check (origin in ('MANUAL', 'SCHEDULE', 'EVENT')),
        status text not null default 'QUEUED'
          check (status in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED')),
        trigger json,
        payload json,
        inputs json not null,
        attempt int not null default 1,
        cancel_requested boolean not null default false,
        envelope_id uuid,
        generation int,
        subscription_id uuid,
        root_id uuid,
        depth int,
        path text[],
        error json,
        created_at timestamptz(3) not null default clock_timestamp(),
        started_at timestamptz(3),
        finished_at timestamptz(3),
        check ((envelope_id is null) = (trigger is null)),
        check ((trigger is null) = (payload is null)),
        check ((origin = 'EVENT') = (envelope_id is not null))
      ) partition by range (id)`);
    // Lists read the newest runs of each status and merge them, so that a rare status is found as fast as any.
    await db.query('create index run_list on run (space_id, status, id desc)');
    await db.query('create index run_of_owner on run (space_id, owner_user_id, status, id desc)');
    await db.query('create index run_of_task on run (task_id, status, id desc)');

    // Small and hot: one row for each run that is not finished.
    await db.query(`
      create table run_queue (
        run_id uuid primary key,
        task_id uuid not null,
        space_id uuid not null,
        state text not null default 'READY' check (state in ('READY', 'RUNNING')),
        fencing_token uuid,
        lease_until timestamptz,
        cancel_requested boolean not null default false,
        available_at timestamptz not null default clock_timestamp(),
        hints int not null default 0,
        next_publish_at timestamptz
      ) with (fillfactor = 70)`);
    await db.query(
      `create index run_queue_ready on run_queue (task_id, available_at, run_id) where state = 'READY'`,
    );
    await db.query(`create index run_queue_lease on run_queue (lease_until) where state = 'RUNNING'`);
    await db.query(
      'create index run_queue_publish on run_queue (next_publish_at) where next_publish_at is not null',
    );

    // A running run occupies one of the slots 1 to concurrency of its task, until whoever ends it frees the slot.
    await db.query(`
      create table run_slot (
        task_id uuid not null references task (id),
        n int not null,
        run_id uuid,
        primary key (task_id, n)
      ) with (fillfactor = 70)`);

    await db.query(`
      create table run_attempt (
        run_id uuid not null,
        attempt int not null,
        fencing_token uuid not null,
        status text not null check (status in ('RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED')),
        error json,
        started_at timestamptz(3) not null default clock_timestamp(),
        finished_at timestamptz(3),
        primary key (run_id, attempt)
      )`);

    await db.query(`
      create table run_step (
        run_id uuid not null,
        attempt int not null,
        position int not null,
        step_id text not null,
        kind text not null,
        status text not null check (status in ('RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED')),
        input json,
        output json,
        log json,
        error json,
        started_at timestamptz(3) not null default clock_timestamp(),
        finished_at timestamptz(3),
        duration_ms int,
        primary key (run_id, attempt, position)
      )`);

    // One row for each due time of a schedule, so that no two processes start the same run.
    await db.query(`
      create table scheduled_run (
        task_id uuid not null references task (id),
        due_at timestamptz(3) not null,
        run_id uuid not null,
        missed int not null default 0,
        primary key (task_id, due_at)
      )`);
    await db.query('create index scheduled_run_age on scheduled_run (due_at)');

    await db.query(
      `select ensure_partition('run', clock_timestamp() + n * interval '1 month') from generate_series(0, 1) n`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table scheduled_run, run_step, run_attempt, run_slot, run_queue, run, task');
  }
}
