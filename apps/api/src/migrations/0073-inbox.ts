import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions of runs to people. */
export class Inbox1763600000073 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The message is of templates, whose values can contain what text cannot.
    await db.query(`
      create table question (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        run_id uuid not null,
        scope text not null,
        task_id uuid not null,
        recipients json not null,
        message json not null,
        fields json not null,
        approval boolean not null,
        status text not null default 'OPEN' check (status in ('OPEN', 'ANSWERED', 'EXPIRED', 'CANCELLED')),
        "values" json,
        approved boolean,
        note text,
        answered_by uuid references platform_user (id),
        answered_at timestamptz(3),
        created_at timestamptz(3) not null default clock_timestamp(),
        expires_at timestamptz(3),
        reminded_at timestamptz(3),
        unique (id, status),
        check ((status = 'ANSWERED') = (answered_at is not null))
      )`);
    await db.query(`create unique index question_open on question (run_id, scope) where status = 'OPEN'`);
    await db.query(`create index question_of_run on question (run_id)`);
    await db.query(`create index question_of_task on question (task_id) where status = 'OPEN'`);
    // A person, or all admins. The key keeps the status as it is in the question.
    await db.query(`
      create table question_recipient (
        question_id uuid not null,
        recipient text not null,
        space_id uuid not null,
        status text not null default 'OPEN',
        primary key (question_id, recipient),
        foreign key (question_id, status) references question (id, status) on update cascade on delete cascade
      )`);
    await db.query(
      'create index question_recipient_list on question_recipient (space_id, recipient, status, question_id)',
    );

    // Whatever ends a wait closes its question in the same statement, so that nothing which ends a run can forget it.
    await db.query(`
      create function close_question() returns trigger language plpgsql as $$
      begin
        update question set status = case when old.due_at <= clock_timestamp() then 'EXPIRED' else 'CANCELLED' end
        where run_id = old.run_id and scope = old.scope and status = 'OPEN';
        return null;
      end $$`);
    await db.query(`
      create trigger close_question after delete on run_wait for each row when (old.kind = 'QUESTION')
      execute function close_question()`);
    // A question to the owner is one to whoever owns the task.
    await db.query(`
      create function give_questions() returns trigger language plpgsql as $$
      begin
        update question_recipient r set recipient = new.owner_user_id::text from question q
        where q.task_id = new.id and q.status = 'OPEN' and q.recipients::text = '"owner"' and r.question_id = q.id;
        return null;
      end $$`);
    await db.query(`
      create trigger give_questions after update of owner_user_id on task for each row
      when (old.owner_user_id <> new.owner_user_id) execute function give_questions()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger give_questions on task');
    await db.query('drop trigger close_question on run_wait');
    await db.query('drop function give_questions, close_question');
    await db.query('drop table question_recipient, question');
  }
}
