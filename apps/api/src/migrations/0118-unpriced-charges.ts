import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A charge by a model without a price has no cost, which is not a cost of 0. */
export class UnpricedCharges1763600000118 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table usage_entry alter column cost drop not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('update usage_entry set cost = 0 where cost is null');
    await db.query('alter table usage_entry alter column cost set not null');
  }
}
