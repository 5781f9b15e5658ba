import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables and columns take the names that the code uses. Nothing is released yet, so no process runs on the old ones. */
export class Names1763600000018 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table turn_item rename to turn_step');
    await db.query('alter table cancel_wish rename to cancel_request');
    await db.query('alter table usage_hold rename to usage_reservation');
    await db.query('alter table usage_reservation rename column settle_with to charge_on_expiry');
    await db.query('alter table turn rename column hold_id to reservation_id');
    await db.query('alter table agent_job drop column told, drop column hinted_end');
    await db.query('alter table stream rename column claim to fencing_token');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table stream rename column fencing_token to claim');
    await db.query('alter table turn rename column reservation_id to hold_id');
    await db.query('alter table agent_job add column told text, add column hinted_end timestamptz');
    await db.query('alter table usage_reservation rename column charge_on_expiry to settle_with');
    await db.query('alter table usage_reservation rename to usage_hold');
    await db.query('alter table cancel_request rename to cancel_wish');
    await db.query('alter table turn_step rename to turn_item');
  }
}
