import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The attempts of webhooks, and the lists of their deliveries. */
export class WebhookAttempts1763600000101 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Begun with the claim of its delivery. duration_ms is null until it ends, status if nobody responded.
    await db.query(`
      create table webhook_attempt (
        delivery_id uuid not null references webhook_delivery (id) on delete cascade,
        attempt int not null,
        started_at timestamptz(3) not null,
        duration_ms int,
        status int,
        response_body text,
        primary key (delivery_id, attempt)
      )`);
    // Null once the message is no longer kept.
    await db.query('alter table webhook_delivery alter column body drop not null');
    await db.query(`
      create index webhook_delivery_kept on webhook_delivery (created_at)
      where next_publish_at is null and body is not null`);
    await db.query('create index webhook_delivery_list on webhook_delivery (space_id, id desc)');
    await db.query(`
      create index webhook_delivery_delivered on webhook_delivery (space_id, id desc)
      where delivered_at is not null`);
    await db.query(`
      create index webhook_delivery_pending on webhook_delivery (space_id, id desc)
      where delivered_at is null and next_publish_at is not null`);
    await db.query(`
      create index webhook_delivery_failed on webhook_delivery (space_id, id desc)
      where delivered_at is null and next_publish_at is null`);

    await db.query(`
      create function change_of_webhook_delivery() returns trigger language plpgsql as $$
      begin
        insert into change (space_id, kind, ref_id, status, audience, for_admins)
        values (new.space_id, 'webhook-delivery', new.id, case when new.delivered_at is not null then 'DELIVERED'
          when new.next_publish_at is null then 'FAILED' else 'PENDING' end, '{}', true);
        return null;
      end $$`);
    await db.query(`
      create trigger change_inserted after insert on webhook_delivery
      for each row execute function change_of_webhook_delivery()`);
    await db.query(`
      create trigger change_updated after update on webhook_delivery for each row
      when (old.attempts <> new.attempts or old.delivered_at is distinct from new.delivered_at
        or old.last_error is distinct from new.last_error
        or (old.next_publish_at is null) <> (new.next_publish_at is null))
      execute function change_of_webhook_delivery()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function change_of_webhook_delivery() cascade');
    await db.query(`drop index webhook_delivery_kept, webhook_delivery_list, webhook_delivery_delivered,
      webhook_delivery_pending, webhook_delivery_failed`);
    await db.query('drop table webhook_attempt');
    await db.query('delete from webhook_delivery where body is null');
    await db.query('alter table webhook_delivery alter column body set not null');
  }
}
