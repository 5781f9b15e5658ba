import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What finds questions that are about to expire, balances that run low, and events that no longer come. */
export class FactsOfPlatform1763600000083 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table question add column remind_at timestamptz(3)');
    await db.query(
      `create index question_remind on question (remind_at) where remind_at is not null and status = 'OPEN'`,
    );
    await db.query('alter table usage_account add column last_grant bigint');
    await db.query(`
      update usage_account a set last_grant = (
        select tokens from usage_entry e where e.space_id = a.space_id and e.user_id is null and e.kind = 'GRANT'
        order by e.id desc limit 1)
      where user_id is null and has_grant`);
    await db.query('create index event_hour_of_event on event_hour (space_id, application_id, event, hour)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index event_hour_of_event');
    await db.query('alter table usage_account drop column last_grant');
    await db.query('alter table question drop column remind_at');
  }
}
