import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many events the limit of a space refused: nothing else remembers them. */
export class EmissionRefusals1763600000061 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table emission_refusal (
        space_id uuid not null,
        minute timestamptz not null,
        events bigint not null,
        last_at timestamptz not null,
        primary key (space_id, minute)
      )`);
    await db.query('create index emission_refusal_age on emission_refusal (minute)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table emission_refusal');
  }
}
