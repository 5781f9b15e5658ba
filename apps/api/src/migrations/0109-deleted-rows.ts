import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute } from './partitioned-index.ts';

/**
 * Removes the rows that were only marked as deleted, some with their values, and those that processes of the previous version
 * still mark. The next migration that may assume this version drops `deleted_at`, with the trigger and the indexes that filter by it.
 */
export class DeletedRows1763600000109 implements MigrationInterface {
  /** The trigger locks the table, which others must not wait for while rows are removed. */
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await execute(
      db,
      `create or replace function remove_deleted_row() returns trigger language plpgsql as $$
      begin
        delete from data_row where id = new.id;
        return null;
      end $$`,
    );
    await execute(
      db,
      `create or replace trigger remove_deleted_row after update of deleted_at on data_row for each row
      when (new.deleted_at is not null) execute function remove_deleted_row()`,
    );
    await execute(db, 'delete from data_row where deleted_at is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger remove_deleted_row on data_row');
    await db.query('drop function remove_deleted_row');
  }
}
