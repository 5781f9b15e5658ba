import type {
  ApplicationManifest,
  CreatedDataRows,
  DataRow,
  Envelope,
  ErrorBody,
  Page,
} from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { EmissionService } from '../src/events/emission/emission.service.ts';
import { TestApp, type RequestInit, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import type { Sql } from '../src/infra/database/rows.ts';
import { findRows } from '../src/data/rows/row-lists.store.ts';
import { parseRowQuery } from '../src/data/rows/row-query.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { verifies } from './verifies.ts';

const ROWS = '/api/data/shop/orders/rows';
const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

let app: TestApp;
let admin: TestUser;
let member: TestUser;
let application: TestUser;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

// Each test has a space of its own, with the shop installed.
beforeEach(async () => {
  admin = await app.addUser('ADMIN', null);
  member = await app.addUser('MEMBER', admin.spaceId);
  application = await installApplication(app, shopManifest(), admin);
});

const call = <Body = DataRow>(method: string, path: string, init: RequestInit = {}) =>
  app.request<Body>(method, path, { as: member, ...init });
const create = (values: unknown, path = ROWS) => call('POST', path, { body: values });
const list = async (query = '') => (await call<Page<DataRow>>('GET', `${ROWS}${query}`)).body;
const envelopes = async () =>
  (await app.request<Page<Envelope>>('GET', '/api/events/envelopes?limit=200', { as: admin })).body.items;
const countEnvelopes = async () => {
  const [row] = await app.sql<{ count: number }>(
    'select count(*)::int as count from envelope where space_id = $1',
    [admin.spaceId],
  );
  return row?.count;
};
const countRows = async () => {
  const [row] = await app.sql<{ count: number }>(
    'select count(*)::int as count from data_row where space_id = $1',
    [admin.spaceId],
  );
  return row?.count;
};

describe('rows', () => {
  verifies('data.rows', 'are created, listed, changed, and deleted by members', async () => {
    const created = await create({ total: 12.5 });
    expect(created.status).toBe(201);
    const { id, createdAt } = created.body;
    expect(created.body).toEqual({ id, createdAt, updatedAt: createdAt, total: 12.5, note: null });
    const second = (await create({ total: 1, note: 'gift' })).body;
    expect(await list()).toEqual({ items: [second, created.body], nextCursor: null });

    const changed = await call('PATCH', `${ROWS}/${id}`, { body: { note: 'late' } });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...created.body, note: 'late', updatedAt: expect.any(String) });
    expect(Date.parse(changed.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    const cleared = await call('PATCH', `${ROWS}/${id}`, { body: { note: null } });
    expect(cleared.body).toMatchObject({ total: 12.5, note: null });

    expect((await call('DELETE', `${ROWS}/${id}`)).status).toBe(204);
    expect((await call('DELETE', `${ROWS}/${id}`)).status).toBe(404);
    expect((await call('PATCH', `${ROWS}/${id}`, { body: {} })).status).toBe(404);
    expect((await list()).items).toEqual([second]);
    // Nothing keeps what was deleted.
    expect(await app.sql('select from data_row where id = $1', [id])).toEqual([]);
  });

  it('are listed page by page, newest first', async () => {
    const ids: string[] = [];
    for (let total = 0; total < 5; total++) ids.unshift((await create({ total })).body.id);
    const first = await list('?limit=3');
    const second = await list(`?limit=3&cursor=${first.nextCursor ?? ''}`);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });

  verifies('data.types', 'are refused if their values do not fit, and each wrong one is named', async () => {
    const wrong = await create({ total: '12', note: 1, other: true });
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      'other is not a known field; total must be a number; note must be a text',
    ]);
    expect((await create({ note: 'free' })).body.message).toBe('total must be a number');
    const rows = await call('POST', `${ROWS}/batch`, {
      raw: '{"rows":[{"total":1},{"total":9007199254740993}]}',
    });
    expect([rows.status, rows.body.message]).toEqual([
      400,
      'rows[1].total is an integer that a number cannot hold exactly: it would become 9007199254740992; send it as a string',
    ]);
    expect((await create({ total: null })).status).toBe(400);
    for (const raw of [
      '[]',
      '1',
      '"a"',
      'null',
      '',
      '{"total":1e400}',
      '{"total":1,"__proto__":{"note":"a"}}',
    ]) {
      expect([raw, (await call('POST', ROWS, { raw })).status]).toEqual([raw, 400]);
    }
    const { id } = (await create({ total: 1 })).body;
    for (const change of [{ total: null }, { total: 'x' }, { id: 'mine' }, { createdAt: 'now' }]) {
      expect((await call('PATCH', `${ROWS}/${id}`, { body: change })).status).toBe(400);
    }
    expect(await countRows()).toBe(1);
  });

  it('round-trip values of every type unchanged', async () => {
    const columns = (['string', 'integer', 'number', 'boolean', 'datetime', 'json'] as const).map((type) => ({
      name: type,
      type,
    }));
    const manifest = shopManifest({ version: '2', tables: [{ name: 'all', columns }], subscriptions: [] });
    await app.request('PUT', '/api/applications/shop', { as: admin, body: manifest });
    const raw =
      '{"string":"a\\u0000\\ud800b","integer":9007199254740991,"number":-1.5e+300,"boolean":false,' +
      '"datetime":"2026-01-31T12:00:00.5+02:00","json":{"b":1,"a":[null,{"__proto__":{"x":1},"constructor":2}]}}';
    const created = await call('POST', '/api/data/shop/all/rows', { raw });
    expect(created.status).toBe(201);
    expect(created.text).toContain(raw.slice(1, -1));
    const listed = await call('GET', '/api/data/shop/all/rows');
    expect(listed.text).toContain(raw.slice(1, -1));
  });

  verifies('data.space', 'of another space are out of reach', async () => {
    const { id } = (await create({ total: 1 })).body;
    const other = await app.addUser('ADMIN', null);
    expect((await call('GET', ROWS, { as: other })).status).toBe(404);
    await installApplication(app, shopManifest(), other);
    expect((await call<Page<DataRow>>('GET', ROWS, { as: other })).body.items).toEqual([]);
    expect((await call('PATCH', `${ROWS}/${id}`, { as: other, body: { total: 2 } })).status).toBe(403);
    expect((await call('DELETE', `${ROWS}/${id}`, { as: other })).status).toBe(403);
    expect((await call('DELETE', `${ROWS}/${UNKNOWN_ID}`, { as: other })).status).toBe(404);
    expect((await call('DELETE', `${ROWS}/no-id`, { as: other })).status).toBe(404);
    expect((await list()).items).toMatchObject([{ id, total: 1 }]);
  });

  it('need an installed application and a table of it; they return with it', async () => {
    const { body } = await create({ total: 1 });
    expect((await create({ total: 1 }, '/api/data/shop/other/rows')).status).toBe(404);
    expect((await create({ total: 1 }, '/api/data/other/orders/rows')).status).toBe(404);
    await app.request('DELETE', '/api/applications/shop', { as: admin });
    expect((await create({ total: 1 })).status).toBe(404);
    expect((await call('PATCH', `${ROWS}/${body.id}`, { body: { total: 2 } })).status).toBe(404);
    await installApplication(app, shopManifest({ version: '2' }), admin);
    expect((await list()).items).toEqual([body]);
  });

  it('follow an upgrade: new columns are empty, removed ones are kept but not shown', async () => {
    await create({ total: 1, note: 'a' });
    const upgrade = (version: string, columns: NonNullable<ApplicationManifest['tables']>[0]['columns']) =>
      app.request('PUT', '/api/applications/shop', {
        as: admin,
        body: shopManifest({ version, tables: [{ name: 'orders', columns }] }),
      });
    await upgrade('2', [{ name: 'place', type: 'string' }]);
    const [row] = (await list()).items;
    expect(Object.keys(row ?? {})).toEqual(['id', 'createdAt', 'updatedAt', 'place']);
    const patched = await call('PATCH', `${ROWS}/${row?.id ?? ''}`, { body: { place: 'here' } });
    expect(patched.body).toMatchObject({ place: 'here' });
    await upgrade('3', [
      { name: 'total', type: 'number' },
      { name: 'place', type: 'string' },
    ]);
    expect((await list()).items).toMatchObject([{ total: 1, place: 'here' }]);
  });

  it('are not for applications', async () => {
    for (const method of ['GET', 'POST']) {
      const sent = method === 'GET' ? {} : { body: { total: 1 } };
      expect((await call(method, ROWS, { as: application, ...sent })).status).toBe(403);
    }
  });
});

describe('events of rows', () => {
  verifies('data.emits', 'are emitted by inserts alone, with the whole row', async () => {
    const { id, createdAt } = (await create({ total: 3 })).body;
    await call('PATCH', `${ROWS}/${id}`, { body: { note: 'x' } });
    await call('DELETE', `${ROWS}/${id}`);
    const [envelope, ...others] = await envelopes();
    expect(others).toEqual([]);
    expect(envelope).toMatchObject({
      applicationIdentifier: 'shop',
      event: 'order.created',
      source: 'datasource',
      depth: 0,
      payload: { id, createdAt, total: 3, note: null },
    });
    const [stored] = await app.sql('select actor_user_id, causation_run_id from envelope where id = $1', [
      envelope?.id,
    ]);
    expect(stored).toEqual({ actor_user_id: member.userId, causation_run_id: null });
  });

  it('are not emitted by a table that declares none', async () => {
    const tables = [{ name: 'orders', columns: [{ name: 'total', type: 'number' as const }] }];
    await app.request('PUT', '/api/applications/shop', {
      as: admin,
      body: shopManifest({ version: '2', tables }),
    });
    expect((await create({ total: 3 })).status).toBe(201);
    expect(await countEnvelopes()).toBe(0);
  });

  verifies('data.schema', 'that violate the schema are FAILED, and the row is written', async () => {
    const created = await create({ total: -1 });
    expect(created.status).toBe(201);
    expect((await list()).items).toEqual([created.body]);
    expect(await envelopes()).toMatchObject([
      { status: 'FAILED', statusReason: 'PAYLOAD_SCHEMA', matchedCount: 0, payload: { total: -1 } },
    ]);
  });

  verifies('data.batch', 'are one for each row of a batch', async () => {
    const count = 10_000;
    const quiet = shopManifest({ version: '2', subscriptions: [] });
    await app.request('PUT', '/api/applications/shop', { as: admin, body: quiet });
    const body = { rows: Array.from({ length: count }, (_, total) => ({ total })) };
    const answer = await call<CreatedDataRows>('POST', `${ROWS}/batch`, { body });
    expect([answer.status, answer.body.items.length]).toEqual([201, count]);
    expect(answer.body.items.map(({ total }) => total)).toEqual(body.rows.map(({ total }) => total));
    expect([await countRows(), await countEnvelopes()]).toEqual([count, count]);
    const [pairs] = await app.sql<{ count: number }>(
      `select count(distinct r.id)::int as count from data_row r
       join envelope e on e.space_id = r.space_id and (e.payload ->> 'id')::uuid = r.id where r.space_id = $1`,
      [admin.spaceId],
    );
    expect(pairs?.count).toBe(count);
    const newest = (await list('?limit=2')).items.map(({ total }) => total);
    expect(newest).toEqual([count - 1, count - 2]);
  });

  verifies(['data.batch', 'data.atomic'], 'of a batch are all there, or none', async () => {
    const answer = await call<{ message: string }>('POST', `${ROWS}/batch`, {
      body: { rows: [{ total: 1 }, { total: 'x' }, { note: 'y' }] },
    });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'rows.1.total must be a number; rows.2.total must be a number',
    ]);
    for (const rows of [[], {}, null, [1], [null], Array.from({ length: 10_001 }, () => ({ total: 1 }))]) {
      expect((await call('POST', `${ROWS}/batch`, { body: { rows } })).status).toBe(400);
    }
    const note = 'x'.repeat(256 * 1024);
    const large = await call('POST', `${ROWS}/batch`, { body: { rows: [{ total: 1 }, { total: 1, note }] } });
    expect([large.status, large.text]).toEqual([400, expect.stringContaining('rows[1]')]);
    expect([await countRows(), await countEnvelopes()]).toEqual([0, 0]);
  });
});

verifies('data.batch', 'a batch is refused after so many problems as a response names', async () => {
  const columns = Array.from({ length: 100 }, (_, i) => ({
    name: `c${i}`,
    type: 'number' as const,
    required: true,
  }));
  const manifest = shopManifest({ version: '2', tables: [{ name: 'wide', columns }], subscriptions: [] });
  await app.request('PUT', '/api/applications/shop', { as: admin, body: manifest });
  const rows = Array.from({ length: 10_000 }, () => ({}));
  const { status, body } = await call<ErrorBody>('POST', '/api/data/shop/wide/rows/batch', {
    body: { rows },
  });
  expect([status, body.message]).toEqual([
    400,
    'rows.0.c0 must be a number; rows.0.c1 must be a number; rows.0.c2 must be a number; … and 97 more',
  ]);
  expect(body.errors).toHaveLength(100);
});

verifies(
  'data.atomic',
  'a row and its event are written in one transaction, however many there are',
  async () => {
    // Envelopes that violate the schema are not touched again.
    const rows = Array.from({ length: 300 }, (_, i) => ({ total: -1 - i, note: 'x'.repeat(10_000) }));
    expect((await call('POST', `${ROWS}/batch`, { body: { rows } })).status).toBe(201);
    const written = await app.sql<{ transactions: number; count: number }>(
      `select count(distinct transaction)::int as transactions, count(*)::int as count from (
       select xmin::text as transaction from data_row where space_id = $1
       union all select xmin::text from envelope where space_id = $1
     ) as w`,
      [admin.spaceId],
    );
    expect(written).toEqual([{ transactions: 1, count: 600 }]);
  },
);

it('a row is written although its event is refused because of a key that no text can have', async () => {
  const payloadSchema = {
    type: 'object',
    properties: { data: { type: 'object', additionalProperties: false } },
  };
  const manifest = shopManifest({
    version: '2',
    events: [{ name: 'order.created', description: 'Strict.', payloadSchema }],
    tables: [
      {
        name: 'orders',
        columns: [{ name: 'data', type: 'json' }],
        emits: { onInsert: 'order.created' },
      },
    ],
  });
  const upgraded = await app.request('PUT', '/api/applications/shop', { as: admin, body: manifest });
  expect(upgraded.status).toBe(200);
  for (const key of ['a\0b', 'a\ud800b']) expect((await create({ data: { [key]: 1 } })).status).toBe(201);
  expect(await envelopes()).toMatchObject([
    { status: 'FAILED', statusReason: 'PAYLOAD_SCHEMA' },
    { status: 'FAILED', statusReason: 'PAYLOAD_SCHEMA' },
  ]);
});

it('a row is written although the partition of its envelope is missing', async () => {
  const [current] = await app.sql<{ name: string }>(
    "select 'envelope_' || to_char(clock_timestamp() at time zone 'UTC', 'YYYYMM') as name",
  );
  await app.sql(`drop table ${current?.name ?? ''}`);
  expect((await create({ total: 1 })).status).toBe(201);
  expect([await countRows(), await countEnvelopes()]).toEqual([1, 1]);
});

describe('a write that does not commit', () => {
  const event = () => ({
    spaceId: admin.spaceId,
    event: 'order.created',
    payload: { total: 1 },
    actorUserId: admin.userId,
    causationRunId: null,
  });
  const emitWithin = async (tx: EntityManager) => {
    const [found] = await app.sql<{ id: string }>('select id from application where space_id = $1', [
      admin.spaceId,
    ]);
    const ids = await app
      .get(EmissionService)
      .emitWithin(tx, [{ ...event(), applicationId: found?.id ?? '' }]);
    expect(ids).toHaveLength(1);
  };

  verifies('data.atomic', 'leaves no envelope after a rollback', async () => {
    const failing = app.get(DataSource).transaction(async (tx) => {
      await emitWithin(tx);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await countEnvelopes()).toBe(0);
  });

  verifies('data.atomic', 'leaves no envelope after a rollback to a savepoint', async () => {
    await app.get(DataSource).transaction(async (tx) => {
      await tx.query('savepoint before');
      await emitWithin(tx);
      await tx.query('rollback to savepoint before');
    });
    expect(await countEnvelopes()).toBe(0);
    await app.get(DataSource).transaction(emitWithin);
    expect(await countEnvelopes()).toBe(1);
  });

  verifies('data.atomic', 'leaves no envelope if a constraint fails at the commit', async () => {
    await app.sql(`
      create function refuse_row() returns trigger language plpgsql as $$
      begin raise exception 'refused at the commit' using errcode = '23514'; end $$`);
    await app.sql(`
      create constraint trigger refuse_row after insert on data_row deferrable initially deferred
      for each row when ((new.column_values ->> 'note') = 'refuse') execute function refuse_row()`);
    try {
      expect((await create({ total: 1, note: 'refuse' })).status).toBe(500);
      const rows = [{ total: 1 }, { total: 2, note: 'refuse' }];
      expect((await call('POST', `${ROWS}/batch`, { body: { rows } })).status).toBe(500);
      expect([await countRows(), await countEnvelopes()]).toEqual([0, 0]);
    } finally {
      await app.sql('drop function refuse_row cascade');
    }
    await create({ total: 1, note: 'refuse' });
    expect([await countRows(), await countEnvelopes()]).toEqual([1, 1]);
  });

  verifies('data.atomic', 'leaves no row if the envelope cannot be stored', async () => {
    await app.sql(`
      create function refuse_outbox() returns trigger language plpgsql as $$
      begin raise exception 'refused' using errcode = '23514'; end $$`);
    await app.sql(
      'create trigger refuse before insert on envelope_outbox for each row execute function refuse_outbox()',
    );
    try {
      expect((await create({ total: 1 })).status).toBe(500);
    } finally {
      await app.sql('drop function refuse_outbox cascade');
    }
    expect([await countRows(), await countEnvelopes()]).toEqual([0, 0]);
  });

  verifies('data.atomic', 'is told apart from one whose response was lost', async () => {
    const commits = new LostCommits(app.get(DataSource));
    try {
      commits.next(/insert into data_row/);
      const created = await create({ total: 1 });
      expect([created.status, commits.lost]).toEqual([201, 1]);
      expect((await list()).items).toEqual([created.body]);
      expect(await countEnvelopes()).toBe(1);
    } finally {
      commits.restore();
    }
  });
});

describe('lists of rows', () => {
  const TYPES = ['string', 'integer', 'number', 'boolean', 'datetime', 'json'] as const;
  const THINGS = '/api/data/shop/things/rows';
  const columns = TYPES.map((type) => ({ name: type, type }));
  const things = [
    { string: 'apple', integer: 1, number: 0.5, boolean: true, datetime: '2026-01-01T00:00:00+02:00' },
    { string: 'apricot', integer: 2, number: -1, boolean: false, datetime: '2025-12-31T23:00:00Z' },
    { string: 'Banana', integer: 2, number: 1e300, boolean: true, datetime: '2025-12-31T22:30:00Z' },
    { string: 'a\u0000b', integer: 3, json: { any: 1 } },
    { string: '2026-13-45T00:00:00Z', integer: 2 ** 53 - 1 },
    { string: '\u00e4', integer: -5, json: 7 },
    {},
  ];
  const find = async (query: Record<string, string>) => {
    const answer = await call<Page<DataRow>>('GET', `${THINGS}?${new URLSearchParams(query).toString()}`);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body;
  };
  const texts = async (filter: object, sort = 'createdAt') =>
    (await find({ filter: JSON.stringify(filter), sort })).items.map(({ string }) => string);

  beforeEach(async () => {
    const manifest = shopManifest({ version: '2', tables: [{ name: 'things', columns }], subscriptions: [] });
    await app.request('PUT', '/api/applications/shop', { as: admin, body: manifest });
    expect((await call('POST', `${THINGS}/batch`, { body: { rows: things } })).status).toBe(201);
  });

  verifies('data.filter', 'have the rows whose columns equal, compare, or begin', async () => {
    expect(await texts({ string: 'apple' })).toEqual(['apple']);
    expect(await texts({ string: { $prefix: 'ap' } })).toEqual(['apple', 'apricot']);
    // PostgreSQL cannot represent U+0000: it is sorted as U+FFFD.
    expect(await texts({ string: { $gt: 'apple', $lt: 'b' } }, 'string')).toEqual(['apricot', 'a\u0000b']);
    expect(await texts({ integer: 2 })).toEqual(['apricot', 'Banana']);
    expect(await texts({ integer: 2, number: { $gte: 0 } })).toEqual(['Banana']);
    expect(await texts({ integer: { $gt: 2 ** 53 - 2 } })).toEqual(['2026-13-45T00:00:00Z']);
    expect(await texts({ number: { $gt: 1e299 } })).toEqual(['Banana']);
    expect(await texts({ boolean: false })).toEqual(['apricot']);
    expect(await texts({ datetime: '2026-01-01T00:00:00+01:00' })).toEqual(['apricot']);
    expect(await texts({ datetime: { $lt: '2025-12-31T23:00:00Z' } }, 'datetime')).toEqual([
      'apple',
      'Banana',
    ]);
    expect(await texts({ string: 'nothing' })).toEqual([]);
    const refused = await call('GET', `${THINGS}?filter={"json":1,"integer":"2"}&sort=other`);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'filter.json names json, which is JSON: rows are not filtered or sorted by it; filter.integer must be a number; ' +
        'sort names other, which is no column of the table',
    ]);
  });

  verifies(
    'data.sort',
    'are sorted by a column, page by page, without rows that have no value in it',
    async () => {
      const all = ['2026-13-45T00:00:00Z', 'Banana', 'apple', 'apricot', 'a\u0000b', '\u00e4'];
      for (const [sort, sorted] of [
        ['string', all],
        ['-string', [...all].reverse()],
        ['-integer', ['2026-13-45T00:00:00Z', 'a\u0000b', 'Banana', 'apricot', 'apple', '\u00e4']],
        ['datetime', ['apple', 'Banana', 'apricot']],
      ] as const) {
        const found: unknown[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const page: Page<DataRow> = await find({ sort, limit: '2', ...(cursor && { cursor }) });
          found.push(...page.items.map(({ string }) => string));
          cursor = page.nextCursor;
        }
        expect([sort, found]).toEqual([sort, sorted]);
      }
      const { nextCursor } = await find({ sort: 'string', limit: '2' });
      const other = `${THINGS}?sort=-string&limit=2&cursor=${nextCursor ?? ''}`;
      expect((await call('GET', other)).status).toBe(400);
    },
  );

  verifies('data.filter', 'follow changes and deletions of rows', async () => {
    const [apple] = (await find({ filter: '{"string":"apple"}' })).items;
    await call('PATCH', `${THINGS}/${apple?.id ?? ''}`, { body: { string: 'pear', integer: null } });
    expect([
      await texts({ string: 'apple' }),
      await texts({ string: 'pear' }),
      await texts({ integer: 1 }),
    ]).toEqual([[], ['pear'], []]);
    await call('DELETE', `${THINGS}/${apple?.id ?? ''}`);
    expect(await texts({ string: 'pear' })).toEqual([]);
    const [values] = await app.sql<{ count: number }>(
      'select count(*)::int as count from data_value where row_id = $1',
      [apple?.id],
    );
    expect(values?.count).toBe(0);
  });

  verifies('data.filter', 'miss no row because others are deleted while one looks', async () => {
    const rows = Array.from({ length: 5_100 }, (_, integer) => ({ integer: 100 + integer }));
    await call('POST', `${THINGS}/batch`, { body: { rows } });
    const database = app.get(DataSource);
    const [table] = await app.sql<{ applicationId: string }>(
      'select application_id as "applicationId" from data_table where space_id = $1 and name = $2',
      [admin.spaceId, 'things'],
    );
    const newest = await app.sql<{ id: string }>(
      `select id from data_row where space_id = $1 and table_name = 'things' order by id desc limit 5000`,
      [admin.spaceId],
    );
    const gone = newest.slice(0, 10).map(({ id }) => id);
    let isFirst = true;
    const query = async (statement: string, parameters: unknown[]): Promise<unknown> => {
      const found: unknown = await database.query(statement, parameters);
      if (isFirst) await app.sql('delete from data_row where id = any($1::uuid[])', [gone]);
      isFirst = false;
      return found;
    };
    const key = { spaceId: admin.spaceId, applicationId: table?.applicationId ?? '', tableName: 'things' };
    const wanted = parseRowQuery(columns, { filter: { integer: { $lt: 0 } } });
    const { found, next } = await findRows({ query } as Sql, key, wanted, null, 20);
    expect([found, next?.id]).toEqual([[], newest.at(-1)?.id]);
  });

  verifies('data.filter', 'look at a bounded number of rows, and go on with the cursor', async () => {
    const rows = Array.from({ length: 5_200 }, (_, integer) => ({ integer: 100 + integer, boolean: true }));
    await call('POST', `${THINGS}/batch`, { body: { rows } });
    // Only the oldest row passes: the first call does not reach it.
    const filter = '{"integer":{"$lt":2},"boolean":true}';
    for (const sort of ['-createdAt', '-integer']) {
      const first = await find({
        filter: sort === '-integer' ? '{"string":{"$prefix":"apple"}}' : filter,
        sort,
      });
      expect([sort, first.items, first.nextCursor]).toEqual([sort, [], expect.any(String)]);
      const query = sort === '-integer' ? '{"string":{"$prefix":"apple"}}' : filter;
      const second = await find({ filter: query, sort, cursor: first.nextCursor ?? '' });
      expect([second.items.map(({ string }) => string), second.nextCursor]).toEqual([['apple'], null]);
    }
  });
});
