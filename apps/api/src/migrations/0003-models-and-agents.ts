import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The catalogue of models, the agents and their versions. */
export class ModelsAndAgents1763600000003 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table model (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        name text not null,
        provider text not null check (provider in ('openai-compatible', 'offline')),
        base_url text,
        api_key text,
        upstream_model text,
        context_window integer not null check (context_window > 0),
        max_output_tokens integer not null check (max_output_tokens between 1 and context_window),
        input_per_million numeric(18, 6) check (input_per_million >= 0),
        output_per_million numeric(18, 6) check (output_per_million >= 0),
        cached_input_per_million numeric(18, 6) check (cached_input_per_million >= 0),
        capabilities json not null,
        created_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz not null default clock_timestamp(),
        deleted_at timestamptz,
        check ((provider = 'openai-compatible') = (base_url is not null))
      )`);
    await db.query('create unique index model_name_key on model (space_id, name) where deleted_at is null');
    await db.query('create index model_list on model (space_id, id desc) where deleted_at is null');

    await db.query(`
      create table agent (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        owner_user_id uuid not null references platform_user (id),
        name text not null,
        description text not null,
        model text not null,
        system_prompt text not null,
        access_scope text not null check (access_scope in ('SPACE', 'RESTRICTED')),
        allowed_user_ids text[] not null,
        variables json not null,
        tools json not null,
        local_tools json not null,
        knowledge json not null,
        settings json not null,
        ask_user boolean not null,
        version integer not null,
        created_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz not null default clock_timestamp(),
        deleted_at timestamptz,
        unique (space_id, id)
      )`);
    await db.query('create index agent_list on agent (space_id, id desc) where deleted_at is null');

    await db.query(`
      create table agent_version (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        agent_id uuid not null,
        version integer not null,
        snapshot json not null,
        author_user_id uuid not null references platform_user (id),
        created_at timestamptz not null default clock_timestamp(),
        unique (agent_id, version),
        foreign key (space_id, agent_id) references agent (space_id, id)
      )`);
    await db.query('create index agent_version_list on agent_version (agent_id, id desc)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table agent_version, agent, model');
  }
}
