import type { MigrationInterface, QueryRunner } from 'typeorm';

const RUN_STATUSES = ['QUEUED', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'];
const ATTEMPT_STATUSES = [
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'INTERRUPTED',
  'HANDED_OVER',
  'WAITED',
];
const STEP_STATUSES = ['RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED', 'INTERRUPTED'];

/**
 * Runs that continue with what they have stored, and wait. The previous version keeps working: it leaves the scope null,
 * and its steps count as those that may have had effects.
 */
export class DurableRuns1763600000071 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Not validated: all stored rows satisfy them, and the tables can be large.
    await replaceCheck(db, 'run', 'status', RUN_STATUSES);
    await replaceCheck(db, 'run_attempt', 'status', ATTEMPT_STATUSES);
    await replaceCheck(db, 'run_step', 'status', STEP_STATUSES);
    await db.query(`
      alter table run_step
        add column scope text,
        add column step_attempt int not null default 1,
        add column superseded boolean not null default false,
        add column acts boolean not null default true`);

    // What runs wait for that occupy no process. One row, and what it waits for in an index.
    await db.query(`
      create table run_wait (
        run_id uuid not null,
        scope text not null,
        space_id uuid not null,
        task_id uuid not null,
        attempt int not null,
        position int not null,
        kind text not null check (kind in ('TIME', 'EVENT', 'QUESTION', 'RUN')),
        despite_disabled boolean not null,
        created_at timestamptz not null default clock_timestamp(),
        due_at timestamptz,
        result json,
        application_id uuid,
        event text,
        filter json,
        field text,
        value text,
        child_run_id uuid,
        primary key (run_id, scope),
        check ((kind = 'EVENT') = (event is not null)),
        check ((kind = 'RUN') = (child_run_id is not null))
      )`);
    await db.query('create index run_wait_due on run_wait (due_at) where due_at is not null');
    await db.query(
      `create index run_wait_event on run_wait (space_id, application_id, event, field, value) where kind = 'EVENT'`,
    );
    await db.query('create index run_wait_child on run_wait (child_run_id) where child_run_id is not null');
    await db.query('create index run_wait_task on run_wait (task_id, run_id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table run_wait');
    await db.query(
      `update run set status = 'CANCELLED', finished_at = clock_timestamp() where status = 'WAITING'`,
    );
    await db.query(`update run_attempt set status = 'HANDED_OVER' where status = 'WAITED'`);
    await db.query(`update run_step set status = 'CANCELLED' where status in ('WAITING', 'SKIPPED')`);
    await replaceCheck(db, 'run', 'status', without(RUN_STATUSES, 'WAITING'));
    await replaceCheck(db, 'run_attempt', 'status', without(ATTEMPT_STATUSES, 'WAITED'));
    await replaceCheck(db, 'run_step', 'status', without(STEP_STATUSES, 'WAITING', 'SKIPPED'));
    await db.query(
      'alter table run_step drop column scope, drop column step_attempt, drop column superseded, drop column acts',
    );
  }
}

const without = (values: string[], ...removed: string[]) =>
  values.filter((value) => !removed.includes(value));

async function replaceCheck(
  db: QueryRunner,
  table: string,
  column: string,
  values: readonly string[],
): Promise<void> {
  const list = values.map((value) => `'${value}'`).join(', ');
  const name = `${table}_${column}_check`;
  await db.query(`alter table ${table} drop constraint ${name}`);
  await db.query(`alter table ${table} add constraint ${name} check (${column} in (${list})) not valid`);
}
