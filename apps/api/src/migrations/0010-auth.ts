import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Installation administrators, temporary passwords, invitations, and an index for every list of people and keys. */
export class InstallationAdminsAndInvitations1763600000010 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table platform_user
        add column installation_admin boolean not null default false,
        add column password_temporary boolean not null default false`);
    await db.query(`
      update platform_user set installation_admin = true where id = (
        select u.id from platform_user u
        where exists (
          select 1 from membership m where m.user_id = u.id and m.role = 'ADMIN' and m.removed_at is null
        )
        order by u.created_at, u.id limit 1
      )`);
    await db.query(
      'create index platform_user_installation_admin on platform_user (id) where installation_admin',
    );

    await db.query(`
      create table invitation (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        email text not null,
        role text not null check (role in ('MEMBER', 'ADMIN')),
        invited_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        ended_at timestamptz(3),
        outcome text check (outcome in ('ACCEPTED', 'DECLINED', 'WITHDRAWN')),
        check ((ended_at is null) = (outcome is null)),
        foreign key (space_id, invited_by) references membership (space_id, user_id)
      )`);
    await db.query(
      'create unique index invitation_pending on invitation (space_id, lower(email)) where ended_at is null',
    );
    await db.query('create index invitation_list on invitation (space_id, id desc) where ended_at is null');
    await db.query(
      'create index invitation_of_person on invitation (lower(email), id desc) where ended_at is null',
    );
    await db.query('create index invitation_by_person on invitation (invited_by, created_at)');
    await db.query('create index invitation_end on invitation (ended_at) where ended_at is not null');

    await db.query(
      'create index membership_list on membership (space_id, user_id desc) where removed_at is null',
    );
    await db.query(
      `create index membership_admin on membership (space_id) where role = 'ADMIN' and removed_at is null`,
    );
    await db.query(
      'create index membership_joined on membership (user_id, created_at, space_id) where removed_at is null',
    );
    await db.query(
      'create index membership_spaces on membership (user_id, space_id desc) where removed_at is null',
    );
    await db.query('drop index membership_user');
    await db.query('create index api_key_of_person on api_key (user_id, id desc) where revoked_at is null');
    await db.query('create index audit_entry_actor on audit_entry (space_id, actor_user_id, id desc)');
    await db.query('create index audit_entry_action on audit_entry (space_id, action, id desc)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index audit_entry_action, audit_entry_actor, api_key_of_person');
    await db.query('create index membership_user on membership (user_id) where removed_at is null');
    await db.query('drop index membership_spaces, membership_joined, membership_admin, membership_list');
    await db.query('drop table invitation');
    await db.query('drop index platform_user_installation_admin');
    await db.query(
      'alter table platform_user drop column password_temporary, drop column installation_admin',
    );
  }
}
