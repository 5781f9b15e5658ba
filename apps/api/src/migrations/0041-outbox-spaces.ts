import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Envelopes that wait are claimed by space, so that those of one space do not wait for those of another. */
export class OutboxSpaces1763600000041 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create index envelope_outbox_space on envelope_outbox (space_id, available_at, envelope_id)
      where lease_until is null and not is_suspect`);
    await db.query('drop index envelope_outbox_claim');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      create index envelope_outbox_claim on envelope_outbox (available_at, envelope_id)
      where lease_until is null and not is_suspect`);
    await db.query('drop index envelope_outbox_space');
  }
}
