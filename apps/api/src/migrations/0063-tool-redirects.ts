import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which redirects a tool follows, and what callers are told about a response that is used again. */
export class ToolRedirects1763600000063 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table tool add column redirects text not null default 'same-origin'
      check (redirects in ('none', 'same-origin', 'any'))`);
    await db.query(`alter table tool_response add column warnings json not null default '[]'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table tool_response drop column warnings');
    await db.query('alter table tool drop column redirects');
  }
}
