import type { MigrationInterface, QueryRunner } from 'typeorm';

const SOURCES = ['chat', 'execute', 'job', 'compaction', 'relay', 'task', 'grant'];

/** An account for everybody who was charged, opening entries, and indexes for a ledger that only grows. */
export class UsageTotals1763600000011 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Waits for charges under way: what they insert must be part of the sums below.
    await db.query('lock table usage_entry in access exclusive mode');

    // The unique key holds a null for the account of a space, which joins cannot look up; this one has no nulls.
    await db.query(`
      alter table usage_account
        add column owner_id uuid generated always as (coalesce(user_id, space_id)) stored`);
    await db.query('create unique index usage_account_owner on usage_account (space_id, owner_id)');
    // Balances change with every charge: room on the page keeps these updates out of the indexes.
    await db.query('alter table usage_account set (fillfactor = 50)');
    await db.query(`
      insert into usage_account (space_id, user_id, balance)
      select space_id, user_id, sum(tokens) from usage_entry where kind = 'CHARGE'
      group by grouping sets ((space_id, user_id), (space_id))
      on conflict do nothing`);

    await db.query(`
      alter table usage_entry
        add column causation_run_id uuid,
        drop constraint usage_entry_source_check,
        add constraint usage_entry_source_check check (source in (${SOURCES.map((s) => `'${s}'`).join(', ')})),
        drop constraint usage_entry_check,
        add constraint usage_entry_check check (case kind
          when 'GRANT' then tokens > 0 and source = 'grant'
          when 'OPENING' then tokens > 0 and source = 'grant'
          when 'CHARGE' then tokens = -(prompt_tokens::bigint + completion_tokens) and source <> 'grant'
            and user_id is not null
          else false end)`);

    // Lists are sorted by the time of the entry, for its id tells when the call began.
    await db.query('drop index usage_entry_user, usage_entry_time');
    await db.query('create index usage_entry_user on usage_entry (space_id, user_id, created_at, id)');
    await db.query('create index usage_entry_time on usage_entry (space_id, created_at, id)');
    await db.query('create index usage_entry_source on usage_entry (space_id, source, created_at, id)');
    await db.query('create index usage_entry_model on usage_entry (space_id, model, created_at, id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index usage_entry_user, usage_entry_time, usage_entry_source, usage_entry_model');
    await db.query(
      'create index usage_entry_user on usage_entry (space_id, user_id, id) include (kind, tokens)',
    );
    await db.query('create index usage_entry_time on usage_entry (space_id, created_at)');
    await db.query(`
      with opening as (
        delete from usage_entry where kind = 'OPENING' returning space_id, user_id, tokens
      )
      update usage_account a set balance = a.balance - o.tokens from opening o
      where a.space_id = o.space_id and a.owner_id = coalesce(o.user_id, o.space_id)`);
    await db.query(`
      alter table usage_entry
        drop column causation_run_id,
        drop constraint usage_entry_source_check,
        add constraint usage_entry_source_check
          check (source in (${SOURCES.filter((s) => s !== 'task')
            .map((s) => `'${s}'`)
            .join(', ')})),
        drop constraint usage_entry_check,
        add constraint usage_entry_check check (case kind
          when 'GRANT' then tokens > 0 and source = 'grant'
          when 'CHARGE' then tokens = -(prompt_tokens::bigint + completion_tokens) and source <> 'grant'
            and user_id is not null
          else false end)`);
    await db.query('drop index usage_account_owner');
    await db.query('alter table usage_account drop column owner_id, reset (fillfactor)');
  }
}
