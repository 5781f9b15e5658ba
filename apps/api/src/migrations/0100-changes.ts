import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a table tells of its rows. The values are expressions over `new` and, in updates, `old`. */
interface Watched {
  table: string;
  kind: string;
  /** Which updates are told; those that are not, such as of leases, cost one comparison. */
  when: string;
  id?: string;
  status?: string;
  /** The people who hear of it besides admins; null: every member of the space. */
  audience: string;
  forAdmins?: string;
  /** Of a large table that is polled while someone listens: inserts are not told. */
  onlyUpdates?: true;
}

const differs = (...columns: string[]) =>
  columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
const NOBODY = `'{}'`;
const EVERYONE = 'null';
const OF_ROW = `coalesce(case when new.deleted_at is not null then 'DELETED' end, `;

const WATCHED: Watched[] = [
  {
    table: 'agent',
    kind: 'agent',
    when: differs('updated_at', 'deleted_at', 'owner_user_id'),
    status: `case when new.deleted_at is not null then 'DELETED' end`,
    // Who could call it before hears that it is gone; nobody else hears of an agent that is restricted.
    audience: `case when new.access_scope <> 'SPACE' and coalesce(old.access_scope, '') <> 'SPACE'
      then new.allowed_user_ids || old.allowed_user_ids || new.owner_user_id::text end`,
  },
  {
    table: 'task',
    kind: 'task',
    when: differs('updated_at', 'enabled', 'owner_user_id', 'retired_at', 'deleted_at'),
    status: `${OF_ROW} case when new.enabled then 'ENABLED' else 'DISABLED' end)`,
    audience: `array[new.owner_user_id::text, old.owner_user_id::text]`,
  },
  {
    table: 'tool',
    kind: 'tool',
    when: differs('updated_at', 'credentials_version', 'deleted_at'),
    status: `case when new.deleted_at is not null then 'DELETED' end`,
    audience: EVERYONE,
  },
  {
    table: 'knowledge_document',
    kind: 'document',
    when: differs('status', 'updated_at', 'chunks', 'replaces_id', 'deleted_at'),
    status: `${OF_ROW} new.status)`,
    audience: EVERYONE,
  },
  {
    table: 'knowledge_web_source',
    kind: 'source',
    when: differs('updated_at', 'enabled', 'error', 'fetches', 'started_at', 'finished_at', 'deleted_at'),
    status: `case when new.deleted_at is not null then 'DELETED' end`,
    audience: EVERYONE,
  },
  {
    table: 'knowledge_embedding',
    kind: 'embedding',
    when: differs('status', 'error', 'skipped', 'completed_at'),
    status: 'new.status',
    audience: EVERYONE,
  },
  {
    table: 'subscription',
    kind: 'subscription',
    when: differs('updated_at', 'enabled', 'retired_at', 'deleted_at'),
    status: `${OF_ROW} case when new.enabled then 'ENABLED' else 'DISABLED' end)`,
    audience: NOBODY,
  },
  {
    table: 'agent_job',
    kind: 'job',
    when: differs('status'),
    status: 'new.status',
    audience: 'array[new.user_id::text]',
    forAdmins: 'false',
  },
  {
    table: 'turn',
    kind: 'turn',
    id: 'new.client_turn_id::uuid',
    when: differs('status'),
    status: 'new.status',
    audience: 'array[new.user_id::text]',
    forAdmins: 'false',
  },
  {
    table: 'bulk_replay',
    kind: 'bulk-replay',
    when: differs('status', 'replayed', 'refused'),
    status: 'new.status',
    audience: NOBODY,
  },
  {
    table: 'bulk_run_action',
    kind: 'bulk-run-action',
    when: differs('status', 'changed', 'refused'),
    status: 'new.status',
    audience: 'array[new.requested_by::text]',
  },
  {
    table: 'question_recipient',
    kind: 'question',
    id: 'new.question_id',
    when: differs('status', 'recipient'),
    status: 'new.status',
    audience: 'array[new.recipient, old.recipient]',
    forAdmins: `coalesce('admins' in (new.recipient, old.recipient), false)`,
  },
  {
    table: 'notification_delivery',
    kind: 'notification',
    when: differs('status', 'attempts'),
    status: 'new.status',
    audience: NOBODY,
  },
  {
    table: 'envelope',
    kind: 'envelope',
    when: 'old.generation <> new.generation or (old.erasure is null) <> (new.erasure is null)',
    status: 'new.status',
    audience: NOBODY,
    onlyUpdates: true,
  },
  {
    table: 'run',
    kind: 'run',
    // A run that waits, and one that has ended, is not polled.
    when: `(old.status not in ('QUEUED', 'RUNNING') and old.status <> new.status)
      or old.dismissed_at is distinct from new.dismissed_at or (old.erased_at is null) <> (new.erased_at is null)`,
    status: 'new.status',
    audience: 'array[new.owner_user_id::text]',
    onlyUpdates: true,
  },
];

/** What changed in a space, for those who follow it. */
export class Changes1763600000100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The transaction, as a number: a reader takes what was not visible in the snapshot that it read before.
    await db.query(`
      create table change (
        xid bigint not null default (pg_current_xact_id()::text::bigint),
        n bigint generated always as identity,
        space_id uuid not null,
        kind text not null,
        ref_id uuid not null,
        status text,
        audience text[],
        for_admins boolean not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        primary key (xid, n)
      )`);
    for (const watched of WATCHED) await watch(db, watched);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const { table } of WATCHED) await db.query(`drop function change_of_${table}() cascade`);
    await db.query('drop table change');
  }
}

async function watch(db: QueryRunner, watched: Watched): Promise<void> {
  const { table, kind, when, id = 'new.id', status = 'null', audience, forAdmins = 'true' } = watched;
  await db.query(`
    create function change_of_${table}() returns trigger language plpgsql as $$
    begin
      insert into change (space_id, kind, ref_id, status, audience, for_admins)
      values (new.space_id, '${kind}', ${id}, ${status}, ${audience}, ${forAdmins});
      return null;
    end $$`);
  if (watched.onlyUpdates !== true)
    await db.query(
      `create trigger change_inserted after insert on ${table} for each row execute function change_of_${table}()`,
    );
  await db.query(
    `create trigger change_updated after update on ${table} for each row when (${when})
     execute function change_of_${table}()`,
  );
}
