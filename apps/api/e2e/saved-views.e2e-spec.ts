import {
  SAVED_VIEW_PAGES,
  type CreatedApiKey,
  type AuditEntry,
  type Page,
  type SavedView,
} from '@platform/contracts';
import { TestApp, type TestUser } from './harness/app.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

type Body = SavedView & { message: string };
const save = (view: object, as: TestUser) =>
  app.request<Body>('POST', '/api/saved-views', {
    as,
    body: { page: 'runs', name: 'Mine', query: 'status=FAILED', ...view },
  });
const change = ({ id }: SavedView, body: object, as: TestUser) =>
  app.request<Body>('PATCH', `/api/saved-views/${id}`, { as, body });
const remove = ({ id }: SavedView, as: TestUser) =>
  app.request<Body>('DELETE', `/api/saved-views/${id}`, { as });
const names = async (as: TestUser, query = '') =>
  (await app.client(as).savedViews.list({ ...(query && { page: query as 'runs' }) })).items
    .map(({ name }) => name)
    .sort();
const stored = (name: string) =>
  app.sql<{ name: string; shared: boolean }>('select name, shared from saved_view where name = $1', [name]);

/** People of a space of their own, so that tests do not see each other's views. */
async function people() {
  const admin = await app.addUser('ADMIN', null);
  const [member, other] = [
    await app.addUser('MEMBER', admin.spaceId),
    await app.addUser('ADMIN', admin.spaceId),
  ];
  return { admin, member, other };
}

describe('private views', () => {
  verifies('saved-views.private', 'are kept in the canonical form, and are only the own ones', async () => {
    const { admin, member } = await people();
    const first = await save({ name: ' Failed ', query: '?status=FAILED&since=24h&event=' }, member);
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: expect.any(String),
        spaceId: admin.spaceId,
        ownerUserId: member.userId,
        page: 'runs',
        name: 'Failed',
        query: 'since=24h&status=FAILED',
        shared: false,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(await names(admin)).toEqual([]);
    expect((await change(first.body, { name: 'x' }, admin)).status).toBe(404);
    expect((await remove(first.body, admin)).status).toBe(404);
    expect((await change(first.body, { name: 'x' }, app.outsider)).status).toBe(403);
    expect((await remove(first.body, app.outsider)).status).toBe(403);

    const changed = await change(first.body, { name: 'Late', query: 'status=QUEUED' }, member);
    expect(changed.body).toMatchObject({ id: first.body.id, name: 'Late', query: 'status=QUEUED' });
    await save({ page: 'jobs', name: 'Late' }, member);
    expect([await names(member), await names(member, 'jobs')]).toEqual([['Late', 'Late'], ['Late']]);
    expect((await remove(first.body, member)).status).toBe(204);
    expect((await remove(first.body, member)).status).toBe(404);
    expect(await names(member, 'runs')).toEqual([]);
  });

  verifies('saved-views.private', 'have unique names, and are created once', async () => {
    const { member, admin } = await people();
    const [one, again] = await Promise.all([save({}, member), save({}, member)]);
    expect([one.status, again.status, again.body.id]).toEqual([201, 201, one.body.id]);
    const taken = 'name must be unique: you already have a view of this page named';
    for (const other of [{ query: 'status=QUEUED' }, { name: 'MINE' }])
      expect(await save(other, member)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    const second = await save({ name: 'Second' }, member);
    expect(await change(second.body, { name: 'mine' }, member)).toMatchObject({
      status: 409,
      body: { message: `${taken} mine` },
    });
    expect((await save({}, admin)).status).toBe(201);
  });

  verifies('saved-views.private', 'are bounded', async () => {
    const { member } = await people();
    for (const wrong of [
      { page: 'nothing' },
      { name: '  ' },
      { name: 'x'.repeat(81) },
      { query: `q=${'x'.repeat(1_999)}` },
      // 1,001 characters, and 9,009 once encoded
      { query: `q=${'运'.repeat(999)}` },
      { name: 'a\0b' },
    ])
      expect([wrong, (await save(wrong, member)).status]).toEqual([wrong, 400]);
    expect((await save({ name: 'x'.repeat(80), query: `q=${'x'.repeat(1_998)}` }, member)).status).toBe(201);
    await app.sql(
      `insert into saved_view (space_id, owner_user_id, page, name, query, shared)
       select $1, $2, 'runs', 'view ' || i, '', false from generate_series(1, 48) as i`,
      [member.spaceId, member.userId],
    );
    const last = await Promise.all(['a', 'b', 'c'].map((name) => save({ name }, member)));
    expect(last.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const kept = last.find(({ status }) => status === 201)?.body;
    // What is there can still be repeated.
    expect((await save({ name: kept?.name }, member)).body.id).toBe(kept?.id);
    expect((await save({ page: 'jobs' }, member)).status).toBe(201);
    const page = await app.client(member).savedViews.list({ page: 'runs', limit: 30 });
    const rest = await app.client(member).savedViews.list({ page: 'runs', cursor: page.nextCursor ?? '' });
    expect([page.items.length, rest.items.length, rest.nextCursor]).toEqual([30, 20, null]);
  });

  verifies('saved-views.private', 'need the scope manage of an API key', async () => {
    const { member } = await people();
    const statuses = [];
    for (const scopes of [['invoke', 'use'], ['manage']]) {
      const { body } = await app.request<CreatedApiKey>('POST', '/api/api-keys', {
        as: member,
        body: { name: 'k', scopes },
      });
      statuses.push(
        (await app.request('GET', '/api/saved-views', { as: { ...member, apiKey: body.key } })).status,
      );
    }
    expect(statuses).toEqual([403, 200]);
  });
});

describe('shared views', () => {
  verifies('saved-views.shared', 'are seen by all, and changed by admins', async () => {
    const { admin, member, other } = await people();
    expect((await save({ shared: true }, member)).status).toBe(403);
    const own = await save({ name: 'Own' }, member);
    expect((await change(own.body, { shared: true }, member)).status).toBe(403);

    const { body: view } = await save({ name: 'Team', shared: true }, admin);
    expect([await names(member), await names(other)]).toEqual([['Own', 'Team'], ['Team']]);
    for (const refused of [await change(view, { name: 'x' }, member), await remove(view, member)])
      expect(refused.status).toBe(403);
    expect((await change(view, { query: 'status=QUEUED' }, other)).body.query).toBe('status=QUEUED');
    expect((await change(view, { shared: false }, other)).body.message).toBe(
      'Only the person who made the view can stop sharing it; you can delete it',
    );
    expect(await save({ name: 'TEAM', shared: true }, other)).toMatchObject({
      status: 409,
      body: { message: 'name must be unique: the space already shares a view of this page with this name' },
    });
    expect((await change(view, { shared: false }, admin)).body.shared).toBe(false);
    expect(await names(member)).toEqual(['Own']);
    await change(view, { shared: true }, admin);
    expect((await remove(view, other)).status).toBe(204);

    const log = await app.request<Page<AuditEntry>>('GET', '/api/audit', { as: admin });
    const entries = log.body.items.filter(({ targetId }) => targetId === view.id);
    expect(entries.map(({ action, actor }) => [action, actor?.id])).toEqual([
      ['saved-view.delete', other.userId],
      ['saved-view.share', admin.userId],
      ['saved-view.unshare', admin.userId],
      ['saved-view.update', other.userId],
      ['saved-view.share', admin.userId],
    ]);
    expect(entries[0]?.details).toEqual({ name: 'Team', page: 'runs' });
  });

  verifies('saved-views.shared', 'exist for those who may open their page', async () => {
    const { admin, member } = await people();
    const forAdmins = ['event-log', 'webhook-deliveries', 'notification-deliveries', 'audit'];
    for (const page of SAVED_VIEW_PAGES) {
      const { body } = await save({ page, name: page, shared: true }, admin);
      const isForAdmins = forAdmins.includes(page);
      expect((await save({ page, name: 'x' }, member)).status).toBe(isForAdmins ? 403 : 201);
      expect((await change(body, { name: 'y' }, member)).status).toBe(isForAdmins ? 404 : 403);
      const list = await app.request('GET', `/api/saved-views?page=${page}`, { as: member });
      expect(list.status).toBe(isForAdmins ? 403 : 200);
    }
    expect((await names(admin)).length).toBe(SAVED_VIEW_PAGES.length);
    expect((await names(member)).filter((name) => forAdmins.includes(name))).toEqual([]);
  });
});

verifies('saved-views.leaving', 'a removed member leaves shared views behind', async () => {
  const { admin, other } = await people();
  await save({ name: 'Left', shared: true }, other);
  const { body: kept } = await save({ name: 'Gone' }, other);
  expect((await app.request('DELETE', `/api/members/${other.userId}`, { as: admin })).status).toBe(204);
  expect([await stored('Gone'), await stored('Left')]).toEqual([[], [{ name: 'Left', shared: true }]]);
  expect(await names(admin)).toEqual(['Left']);
  expect((await change(kept, { name: 'x' }, admin)).status).toBe(404);
});
