import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions that agents ask in runs. */
export class QuestionsOfAgents1763600000082 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table run_wait add column repeats boolean not null default false');
    await db.query(`
      alter table question
        add column interaction_id uuid,
        add column turn_id uuid,
        add column min_values int,
        add column max_values int`);
    await db.query(
      'create index question_of_interaction on question (interaction_id) where interaction_id is not null',
    );
    await db.query('create index question_of_turn on question (turn_id) where turn_id is not null');
    // Closed, and the turn may still wait.
    await db.query(
      `create index question_unsettled on question (id) where turn_id is not null and status <> 'OPEN'`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table question drop column interaction_id, drop column turn_id, drop column min_values, drop column max_values`);
    await db.query('alter table run_wait drop column repeats');
  }
}
