import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The values of the rows that exist. New rows have theirs from the triggers of the migration before, so none is missed. */
export class DataValuesOfRows1763600000060 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Changes of these rows wait, so that the trigger has the last word; inserts do not.
    await db.query(`
      insert into data_value (row_id, column_key, number, text)
      select v.row_id, v.column_key, v.number, v.text from (select * from data_row where deleted_at is null for share) r,
        data_values(r.application_id, r.table_name, r.id, r.column_values) v
      on conflict do nothing`);
  }

  async down(): Promise<void> {}
}
