import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Replays that are limited to subscriptions. Processes of the previous version would dispatch them to all: triggers refuse
 * that. The first migration of the next version drops both triggers and their functions.
 */
export class ReplayLimits1763600000051 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // What was requested, and the subscriptions that follow from it; null: all.
    await db.query(`
      alter table envelope_replay add column limit_only text, add column limit_subscription_ids uuid[],
        add column limited_to uuid[]`);
    await db.query(`
      create function refuse_left_out_delivery() returns trigger language plpgsql as $$
      begin
        if exists (select from envelope_replay where envelope_id = new.envelope_id and generation = new.generation
            and limited_to is not null and new.subscription_id <> all(limited_to)) then
          raise exception 'Subscription % is left out of replay % of envelope %', new.subscription_id, new.generation,
            new.envelope_id;
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger delivery_left_out before insert on delivery for each row when (new.generation > 0)
      execute function refuse_left_out_delivery()`);
    await db.query(`
      create function refuse_unlimited_replay() returns trigger language plpgsql as $$
      begin
        if exists (select from bulk_replay where id = new.bulk_replay_id
            and coalesce(query ->> 'only', query ->> 'subscriptionIds') is not null) then
          raise exception 'Bulk replay % is limited', new.bulk_replay_id;
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger envelope_replay_limit before insert on envelope_replay for each row
      when (new.bulk_replay_id is not null and new.limited_to is null) execute function refuse_unlimited_replay()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger envelope_replay_limit on envelope_replay');
    await db.query('drop trigger delivery_left_out on delivery');
    await db.query('drop function refuse_unlimited_replay, refuse_left_out_delivery');
    await db.query(`
      alter table envelope_replay drop column limit_only, drop column limit_subscription_ids, drop column limited_to`);
  }
}
