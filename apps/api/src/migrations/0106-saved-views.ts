import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The filters of lists that people keep by name. */
export class SavedViews1763600000106 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table saved_view (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        owner_user_id uuid not null references platform_user (id),
        page text not null,
        name text not null,
        query text not null,
        shared boolean not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp()
      )`);
    await db.query(
      'create unique index saved_view_name on saved_view (space_id, owner_user_id, page, lower(name))',
    );
    await db.query(
      'create unique index saved_view_shared_name on saved_view (space_id, page, lower(name)) where shared',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table saved_view');
  }
}
