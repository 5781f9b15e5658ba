import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks of which only so many runs with the same key execute at once. */
export class RunKeys1763600000085 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table task
        add column concurrency_key text,
        add column per_key int not null default 1 check (per_key between 1 and 100)`);
    // A hash of the value. A run that waits for a place of its key is READY, and not available before 'infinity'.
    await db.query('alter table run_queue add column concurrency_key bytea');
    await db.query(`
      create index run_queue_key on run_queue (task_id, concurrency_key, available_at, run_id)
      where state = 'READY' and concurrency_key is not null`);
    await db.query(`
      create table run_key_place (
        task_id uuid not null,
        concurrency_key bytea not null,
        n int not null,
        run_id uuid not null unique,
        primary key (task_id, concurrency_key, n)
      ) with (fillfactor = 70)`);
    // Whatever makes a run stop executing passes its place on in the same statement, also in a process of the previous version. A
    // run that is about to wait holds a share lock on all places of its key, so that it is seen by whoever waits for that lock here.
    // Nobody waits for a run that is locked: RunKeysWorker finds what is missed.
    await db.query(`
      create function pass_key_place() returns trigger language plpgsql as $$
      declare
        place int;
        next uuid;
      begin
        select n into place from run_key_place where run_id = old.run_id for update;
        if not found then return null; end if;
        if place <= (select per_key from task where id = old.task_id) then
          select run_id into next from run_queue
          where task_id = old.task_id and concurrency_key = old.concurrency_key and available_at = 'infinity'
            and state = 'READY'
          order by run_id limit 1 for update skip locked;
        end if;
        if next is null then
          delete from run_key_place where run_id = old.run_id;
        else
          update run_key_place set run_id = next where run_id = old.run_id;
          update run_queue set available_at = clock_timestamp() where run_id = next;
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger pass_key_place_ended after delete on run_queue for each row
      when (old.concurrency_key is not null) execute function pass_key_place()`);
    await db.query(`
      create trigger pass_key_place_released after update of state, concurrency_key on run_queue for each row
      when (old.concurrency_key is not null and (new.concurrency_key is distinct from old.concurrency_key
        or old.state = 'RUNNING' and new.state = 'READY'))
      execute function pass_key_place()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger pass_key_place_ended on run_queue');
    await db.query('drop trigger pass_key_place_released on run_queue');
    await db.query('drop function pass_key_place');
    await db.query('drop table run_key_place');
    await db.query(
      `update run_queue set available_at = clock_timestamp() where available_at = 'infinity' and concurrency_key is not null`,
    );
    await db.query('alter table run_queue drop column concurrency_key');
    await db.query('alter table task drop column per_key, drop column concurrency_key');
  }
}
