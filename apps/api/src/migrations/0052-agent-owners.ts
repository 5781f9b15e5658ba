import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The agents of a person are counted before the person is removed. */
export class AgentOwners1763600000052 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'create index agent_owner on agent (space_id, owner_user_id, id) where deleted_at is null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index agent_owner');
  }
}
