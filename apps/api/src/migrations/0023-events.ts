import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The event bus: registered events, subscriptions, envelopes, and what became of them. */
export class Events1763600000023 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The applications that have or had events, by the name that the catalog shows.
    await db.query(`
      create table catalog_application (
        application_id uuid primary key,
        space_id uuid not null,
        name text not null,
        foreign key (space_id, application_id) references application (space_id, id)
      )`);
    await db.query('create index catalog_application_list on catalog_application (space_id, application_id)');

    await db.query(`
      create table registered_event (
        application_id uuid not null,
        name text not null,
        space_id uuid not null,
        description text not null,
        payload_schema json not null,
        schema_hash bytea not null,
        version int not null default 1,
        recursion_limit int not null default 1,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        retired_at timestamptz(3),
        primary key (application_id, name),
        foreign key (space_id, application_id) references application (space_id, id)
      )`);
    await db.query(
      'create index registered_event_catalog on registered_event (space_id, application_id, name)',
    );
    await db.query('create index registered_event_name on registered_event (space_id, name, application_id)');

    // Refers to its event by name, so that a subscription of the user outlives the event and finds it again.
    await db.query(`
      create table subscription (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        application_id uuid not null,
        event text not null,
        task_id uuid not null,
        filter json,
        enabled boolean not null default true,
        origin text not null check (origin in ('APP_DEFAULT', 'USER')),
        default_key text,
        created_by uuid,
        created_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        retired_at timestamptz(3),
        deleted_at timestamptz(3),
        foreign key (space_id, application_id) references application (space_id, id),
        foreign key (space_id, task_id) references task (space_id, id),
        check ((origin = 'APP_DEFAULT') = (default_key is not null))
      )`);
    await db.query(
      'create unique index subscription_default on subscription (application_id, default_key) where default_key is not null',
    );
    await db.query(
      'create index subscription_event on subscription (application_id, event, id) where deleted_at is null and retired_at is null',
    );
    await db.query(
      'create index subscription_list on subscription (space_id, id desc) where deleted_at is null',
    );
    await db.query(
      'create index subscription_application on subscription (application_id, id desc) where deleted_at is null',
    );
    await db.query('create index subscription_task on subscription (task_id) where deleted_at is null');

    // path lists the events from the first emission to this one, as <application id>/<name>.
    await db.query(`
      create table envelope (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        application_id uuid not null,
        event text not null,
        payload json not null,
        payload_bytes int not null generated always as (octet_length(payload::text)) stored,
        status text not null check (status in ('PENDING', 'DISPATCHED', 'SKIPPED', 'FAILED')),
        status_reason text,
        source text not null check (source in ('datasource', 'app', 'system')),
        idempotency_key text,
        emitted_at timestamptz(3) not null default clock_timestamp(),
        actor_user_id uuid,
        causation_id uuid,
        causation_run_id uuid,
        root_id uuid not null,
        depth int not null default 0,
        path text[] not null,
        generation int not null default 0,
        matched_count int not null default 0,
        verdicts json,
        dispatched_at timestamptz(3),
        last_error text
      ) partition by range (id)`);
    await db.query('create index envelope_list on envelope (space_id, id desc)');
    await db.query('create index envelope_event on envelope (application_id, event, id desc)');
    for (const status of ['FAILED', 'SKIPPED']) {
      const name = status.toLowerCase();
      await db.query(
        `create index envelope_${name} on envelope (space_id, id desc) where status = '${status}'`,
      );
      await db.query(
        `create index envelope_${name}_event on envelope (application_id, event, id desc) where status = '${status}'`,
      );
    }
    await db.query(`create index envelope_pending on envelope (space_id, id desc) where status = 'PENDING'`);
    await db.query(
      'create index envelope_causation on envelope (causation_run_id) where causation_run_id is not null',
    );
    await db.query('create index envelope_root on envelope (root_id, id) where depth > 0');

    // Small and hot: one row for each envelope that is not dispatched.
    await db.query(`
      create table envelope_outbox (
        envelope_id uuid not null,
        generation int not null,
        space_id uuid not null,
        attempts int not null default 0,
        is_suspect boolean not null default false,
        fencing_token bigint not null default 0,
        lease_until timestamptz,
        available_at timestamptz not null default clock_timestamp(),
        hints int not null default 0,
        next_publish_at timestamptz not null,
        primary key (envelope_id, generation)
      ) with (fillfactor = 70)`);
    // A claimed row leaves the first index, so that a claim finds only rows that it can take.
    await db.query(`
      create index envelope_outbox_claim on envelope_outbox (available_at, envelope_id)
      where lease_until is null and not is_suspect`);
    await db.query(`
      create index envelope_outbox_suspect on envelope_outbox (available_at, envelope_id)
      where lease_until is not null or is_suspect`);
    await db.query('create index envelope_outbox_publish on envelope_outbox (next_publish_at)');

    await db.query(`
      create table emission_key (
        application_id uuid not null,
        event text not null,
        key_hash bytea not null,
        envelope_id uuid not null,
        payload_hash bytea not null,
        primary key (application_id, event, key_hash)
      )`);
    await db.query('create index emission_key_envelope on emission_key (envelope_id)');

    // At most one run for an envelope, subscription, and generation: this key is the guarantee.
    await db.query(`
      create table delivery (
        envelope_id uuid not null,
        subscription_id uuid not null,
        generation int not null,
        run_id uuid,
        outcome text not null,
        created_at timestamptz not null default clock_timestamp(),
        primary key (envelope_id, generation, subscription_id)
      ) partition by range (envelope_id)`);

    // A replay keeps what had become of the generation before it.
    await db.query(`
      create table envelope_replay (
        envelope_id uuid not null,
        generation int not null,
        requested_by uuid,
        bulk_replay_id uuid,
        requested_at timestamptz(3) not null default clock_timestamp(),
        previous_status text not null,
        previous_reason text,
        previous_matched_count int not null,
        previous_verdicts json,
        previous_dispatched_at timestamptz(3),
        primary key (envelope_id, generation)
      )`);
    await db.query(
      'create unique index envelope_replay_bulk on envelope_replay (bulk_replay_id, envelope_id) where bulk_replay_id is not null',
    );

    // Which generation a key has requested: also that of a replay which was running already.
    await db.query(`
      create table replay_key (
        envelope_id uuid not null,
        request_key text not null,
        generation int not null,
        primary key (envelope_id, request_key)
      )`);

    await db.query(`
      create table bulk_replay (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        requested_by uuid not null,
        query json not null,
        status text not null default 'RUNNING' check (status in ('RUNNING', 'COMPLETED', 'STOPPED', 'FAILED')),
        total int not null,
        replayed int not null default 0,
        refused int not null default 0,
        per_second int not null,
        position uuid,
        last_error text,
        lease_until timestamptz,
        created_at timestamptz(3) not null default clock_timestamp(),
        finished_at timestamptz(3)
      )`);
    await db.query('create index bulk_replay_list on bulk_replay (space_id, id desc)');
    await db.query(`create index bulk_replay_running on bulk_replay (lease_until) where status = 'RUNNING'`);

    // Counts for the dashboard. Recomputed for the last minutes, which has the same effect however often it happens.
    await db.query(`
      create table event_minute (
        space_id uuid not null,
        minute timestamptz not null,
        application_id uuid not null,
        event text not null,
        dispatched int not null,
        failed int not null,
        skipped int not null,
        pending int not null,
        needs_count boolean not null default false,
        counted_at timestamptz not null default clock_timestamp(),
        primary key (space_id, minute, application_id, event)
      )`);
    await db.query(
      'create index event_minute_open on event_minute (counted_at) where pending > 0 or needs_count',
    );
    await db.query('create index event_minute_age on event_minute (minute)');

    // The sum of its minutes.
    await db.query(`
      create table event_hour (
        space_id uuid not null,
        hour timestamptz not null,
        application_id uuid not null,
        event text not null,
        dispatched int not null,
        failed int not null,
        skipped int not null,
        pending int not null,
        primary key (space_id, hour, application_id, event)
      )`);
    await db.query('create index event_hour_age on event_hour (hour)');

    // One row: all minutes before this time have been counted.
    await db.query(`
      create table event_count_progress (
        is_only boolean primary key default true check (is_only),
        counted_until timestamptz not null
      )`);
    await db.query(
      `insert into event_count_progress (counted_until) values (date_trunc('minute', clock_timestamp()))`,
    );

    for (const table of ['envelope', 'delivery']) {
      await db.query(
        `select ensure_partition($1, clock_timestamp() + n * interval '1 month') from generate_series(0, 1) n`,
        [table],
      );
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop table event_count_progress, event_hour, event_minute, bulk_replay, replay_key, envelope_replay, delivery,
        emission_key, envelope_outbox, envelope, subscription, registered_event, catalog_application`);
  }
}
