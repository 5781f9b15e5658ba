import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What spaces are told, over which channels, and what became of it. */
export class Notifications1763600000080 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Small and hot: what happened and was not told yet.
    await db.query(`
      create table fact (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        name text not null,
        key text not null,
        payload json not null,
        causation_run_id uuid,
        created_at timestamptz(3) not null default clock_timestamp()
      )`);

    await db.query(`
      create table notification_channel (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        name text not null,
        kind text not null check (kind in ('webhook', 'email', 'slack', 'feishu', 'dingtalk', 'wecom')),
        url text,
        smtp json,
        sealed text,
        events text[] not null,
        min_severity text not null check (min_severity in ('info', 'warning', 'error')),
        digest_minutes int not null check (digest_minutes between 0 and 1440),
        quiet_hours json,
        enabled boolean not null,
        last_sent_at timestamptz(3),
        created_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        deleted_at timestamptz(3)
      )`);
    await db.query(
      'create index notification_channel_list on notification_channel (space_id, id desc) where deleted_at is null',
    );

    // A fact that is recorded twice is told once.
    await db.query(`
      create table notification (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        event text not null,
        key text not null,
        severity text not null,
        payload json not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        unique (space_id, event, key)
      )`);
    await db.query('create index notification_age on notification (created_at)');

    await db.query(`
      create table notification_delivery (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        channel_id uuid not null references notification_channel (id),
        status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
        is_test boolean not null default false,
        is_open boolean not null default false,
        is_attempted boolean not null default false,
        resend_of uuid,
        count int not null,
        attempts int not null default 0,
        due_at timestamptz(3),
        last_error text,
        request json,
        response json,
        created_at timestamptz(3) not null default clock_timestamp(),
        ended_at timestamptz(3),
        check ((due_at is null) = (status <> 'PENDING'))
      )`);
    // What happens until an open delivery is sent goes into it.
    await db.query(
      'create unique index notification_delivery_open on notification_delivery (channel_id) where is_open',
    );
    await db.query(
      'create index notification_delivery_due on notification_delivery (due_at) where due_at is not null',
    );
    await db.query(
      'create index notification_delivery_due_of_space on notification_delivery (space_id, due_at) where due_at is not null',
    );
    await db.query(
      'create index notification_delivery_attempted on notification_delivery (space_id) where is_attempted',
    );
    await db.query(
      'create index notification_delivery_list on notification_delivery (space_id, status, id desc)',
    );
    await db.query(
      'create index notification_delivery_of_channel on notification_delivery (channel_id, status, id desc)',
    );
    await db.query('create index notification_delivery_age on notification_delivery (created_at)');

    await db.query(`
      create table notification_item (
        delivery_id uuid not null references notification_delivery (id) on delete cascade,
        notification_id uuid not null references notification (id) on delete cascade,
        primary key (delivery_id, notification_id)
      )`);
    await db.query('create index notification_item_of on notification_item (notification_id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'drop table notification_item, notification_delivery, notification, notification_channel, fact',
    );
  }
}
