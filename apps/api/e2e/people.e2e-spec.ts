import { DataSource } from 'typeorm';
import { IdentityService } from '../src/auth/identity.service.ts';
import { InstallationAdminsAndInvitations1763600000010 } from '../src/migrations/0010-auth.ts';
import { TestApp } from './harness/app.ts';

const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('a principal without a request', () => {
  it('is the person with the role of this moment', async () => {
    const identity = app.get(IdentityService);
    const user = await app.addUser('MEMBER');
    expect(await identity.principalFor(user.spaceId, user.userId)).toEqual({
      kind: 'user',
      userId: user.userId,
      spaceId: user.spaceId,
      role: 'MEMBER',
      credential: { kind: 'internal', id: user.userId },
      causationRunId: null,
    });
    await app.request('PATCH', `/api/members/${user.userId}`, { body: { role: 'ADMIN' } });
    expect(await identity.principalFor(user.spaceId, user.userId)).toMatchObject({ role: 'ADMIN' });
  });

  it('is nobody for people who are not members, or no longer', async () => {
    const identity = app.get(IdentityService);
    const user = await app.addUser('MEMBER');
    expect(await identity.principalFor(app.outsider.spaceId, user.userId)).toBeNull();
    expect(await identity.principalFor(user.spaceId, UNKNOWN_ID)).toBeNull();
    await app.request('DELETE', `/api/members/${user.userId}`);
    expect(await identity.principalFor(user.spaceId, user.userId)).toBeNull();
  });
});

describe('an upgrade', () => {
  it('makes the first admin the installation administrator, and nobody else', async () => {
    const database = app.get(DataSource);
    const identity = app.get(IdentityService);
    const migration = new InstallationAdminsAndInvitations1763600000010();
    const db = database.createQueryRunner();
    await db.startTransaction();
    try {
      await migration.down(db);
      // Older than the first admin, but an admin of nothing.
      await db.query(`update platform_user set created_at = created_at - interval '1 day' where id = $1`, [
        app.member.userId,
      ]);
      await migration.up(db);
      expect(await identity.isInstallationAdmin(app.admin.userId, db.manager)).toBe(true);
      expect(await identity.isInstallationAdmin(app.member.userId, db.manager)).toBe(false);
      expect(await identity.isInstallationAdmin(app.outsider.userId, db.manager)).toBe(false);
    } finally {
      await db.rollbackTransaction();
      await db.release();
    }
  });
});
