import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute } from './partitioned-index.ts';

/** The envelope of the event with which a wait ended. Operators reject escapes of what no text can have, which a payload may contain. */
const envelopeIn = (output: string) => String.raw`(
  case when strpos(${output}::text, '\u') = 0 then ${output}
    else regexp_replace(${output}::text, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi')::json end
  -> 'trigger' ->> 'id')::uuid`;

/** Leads from an event to the runs whose waits it has ended, so that its payload is erased there as well. */
export class AwaitedEvents1763600000110 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await execute(
      db,
      `create table if not exists awaited_event (
        run_id uuid not null,
        envelope_id uuid not null,
        primary key (run_id, envelope_id)
      )`,
    );
    await execute(db, 'create index if not exists awaited_event_envelope on awaited_event (envelope_id)');
    // No process can forget it, also none of the previous version.
    await execute(
      db,
      `create or replace function store_awaited_event() returns trigger language plpgsql as $$
      begin
        insert into awaited_event (run_id, envelope_id)
        select new.run_id, id from (select ${envelopeIn('new.result')} as id) awaited where id is not null
        on conflict do nothing;
        return null;
      end $$`,
    );
    await execute(
      db,
      `create or replace trigger store_awaited_event after update of result on run_wait for each row
      when (new.kind = 'EVENT' and new.result is not null) execute function store_awaited_event()`,
    );
    // What had ended before.
    await execute(
      db,
      `insert into awaited_event (run_id, envelope_id)
       select run_id, id from (
         select run_id, ${envelopeIn('output')} as id from run_step where kind = 'wait'
         union
         select run_id, ${envelopeIn('result')} from run_wait where kind = 'EVENT'
       ) awaited where id is not null
       on conflict do nothing`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger store_awaited_event on run_wait');
    await db.query('drop function store_awaited_event');
    await db.query('drop table awaited_event');
  }
}
