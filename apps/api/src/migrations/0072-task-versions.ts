import type { MigrationInterface, QueryRunner } from 'typeorm';

const BATCH = 500;

/**
 * Each workflow that a task had is a version. A trigger stores it, so that no writer can forget it, not even a process of the
 * previous version. What an interrupted migration has done is kept.
 */
export class TaskVersions1763600000072 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    // The trigger stores the version before the row of a new task, so the key is checked at the end of the transaction.
    await db.query(`
      create table if not exists task_version (
        task_id uuid not null references task (id) on delete cascade deferrable initially deferred,
        version int not null,
        workflow json not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        created_by uuid references platform_user (id),
        primary key (task_id, version)
      )`);
    await db.query(
      'alter table task add column if not exists version int not null default 1, add column if not exists changed_by uuid',
    );
    await db.query('alter table run add column if not exists task_version int');
    // `changed_by` is never stored: a writer that does not know the column must not be taken for the one before it.
    await db.query(`
      create or replace function record_task_version() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into task_version (task_id, version, workflow, created_at, created_by)
          values (new.id, new.version, new.workflow, new.created_at, new.changed_by);
        elsif new.workflow::text <> old.workflow::text then
          insert into task_version (task_id, version, workflow, created_at)
          values (old.id, old.version, old.workflow, old.updated_at) on conflict do nothing;
          new.version := old.version + 1;
          insert into task_version (task_id, version, workflow, created_by)
          values (new.id, new.version, new.workflow, new.changed_by);
        end if;
        new.changed_by := null;
        return new;
      end $$`);
    await db.query(`
      create or replace trigger task_version before insert or update of workflow, changed_by on task
      for each row execute function record_task_version()`);
    for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined;)
      after = await this.recordVersions(db, after);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger task_version on task');
    await db.query('drop function record_task_version()');
    await db.query('alter table run drop column task_version');
    await db.query('alter table task drop column version, drop column changed_by');
    await db.query('drop table task_version');
  }

  /** Stores the versions of the tasks that follow an id, as they are then. Returns the last id; undefined if there were none. */
  private async recordVersions(db: QueryRunner, after: string): Promise<string | undefined> {
    const found = (await db.query(
      `with batch as materialized (
         select id, version, workflow, updated_at from task where id > $1 order by id limit ${BATCH}
       ), stored as (
         insert into task_version (task_id, version, workflow, created_at) select * from batch on conflict do nothing
       )
       select id from batch order by id desc limit 1`,
      [after],
    )) as { id: string }[];
    return found[0]?.id;
  }
}
