import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Policies of calls of tools, and the pauses of calls that a person has to make possible. */
export class Approvals1763600000095 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table tool_method add column policy json');
    // A place is a session or a run.
    await db.query(`
      create table tool_consent (
        place_id uuid not null,
        method_id text not null,
        space_id uuid not null,
        method_version text not null,
        approved_by uuid not null,
        expires_at timestamptz not null,
        primary key (place_id, method_id)
      )`);
    await db.query('create index tool_consent_expires on tool_consent (expires_at)');

    await db.query('alter table turn_step drop constraint turn_step_kind_check');
    await db.query(`
      alter table turn_step add constraint turn_step_kind_check check (kind in
        ('user', 'evidence', 'model', 'tool-call', 'tool-pause', 'tool-answer', 'tool-result', 'partial')) not valid`);

    // A turn asks without a run, a scope, and a task.
    await db.query(`
      alter table question
        alter column run_id drop not null,
        alter column scope drop not null,
        alter column task_id drop not null,
        add column purpose text not null default 'question'
          check (purpose in ('question', 'approval', 'connection', 'form')),
        add column need json,
        add column edited json`);
    // An approval by others is hidden from the person who asks for it.
    await db.query('alter table question_recipient add column except_user_id uuid');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('delete from question where run_id is null');
    await db.query('alter table question_recipient drop column except_user_id');
    await db.query(`
      alter table question drop column purpose, drop column need, drop column edited,
        alter column run_id set not null, alter column scope set not null, alter column task_id set not null`);
    await db.query(`delete from turn_step where kind in ('tool-pause', 'tool-answer')`);
    await db.query('alter table turn_step drop constraint turn_step_kind_check');
    await db.query(`
      alter table turn_step add constraint turn_step_kind_check
        check (kind in ('user', 'evidence', 'model', 'tool-call', 'tool-result', 'partial')) not valid`);
    await db.query('drop table tool_consent');
    await db.query('alter table tool_method drop column policy');
  }
}
