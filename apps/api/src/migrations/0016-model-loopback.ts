import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which models may be on loopback: those whose address came from installation administrators alone. */
export class ModelLoopback1763600000016 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table model add column loopback_allowed boolean not null default false');
    // Models without a record of their creation come from the environment of the process.
    await db.query(`
      update model set loopback_allowed = true
      where id::text not in (
        select a.target_id from audit_entry a left join platform_user u on u.id = a.actor_user_id
        where a.action in ('model.create', 'model.update') and a.target_id is not null
          and not coalesce(u.installation_admin, false)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table model drop column loopback_allowed');
  }
}
