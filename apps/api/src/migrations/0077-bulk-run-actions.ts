import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Failures that people have seen and put aside, and stored work on many runs. */
export class BulkRunActions1763600000077 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table run add column dismissed_at timestamptz(3), add column dismissed_by uuid');
    await db.query(`
      create table bulk_run_action (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        requested_by uuid not null,
        query json not null,
        status text not null default 'RUNNING' check (status in ('RUNNING', 'COMPLETED', 'STOPPED', 'FAILED')),
        total int not null,
        changed int not null default 0,
        refused int not null default 0,
        per_second int not null,
        position uuid,
        last_error text,
        lease_until timestamptz,
        created_at timestamptz(3) not null default clock_timestamp(),
        finished_at timestamptz(3)
      )`);
    await db.query('create index bulk_run_action_list on bulk_run_action (space_id, id desc)');
    await db.query(
      'create index bulk_run_action_of_person on bulk_run_action (space_id, requested_by, id desc)',
    );
    await db.query(
      `create index bulk_run_action_running on bulk_run_action (lease_until) where status = 'RUNNING'`,
    );
    await db.query(
      `create index bulk_run_action_of_space on bulk_run_action (space_id) where status = 'RUNNING'`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table bulk_run_action');
    await db.query('alter table run drop column dismissed_at, drop column dismissed_by');
  }
}
