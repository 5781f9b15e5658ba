import type { DataRow, EmitResponse, Page, Run, Step } from '@platform/contracts';
import { RateLimits } from '../src/auth/limits/rate-limits.ts';
import { Database } from '../src/infra/database/database.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { eventually } from './harness/eventually.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let owner: TestUser;
let member: TestUser;
let shop: TestUser;
let calls: RunCalls;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

// Each test has a space of its own, with the shop installed.
beforeEach(async () => {
  owner = await app.addUser('ADMIN', null);
  member = await app.addUser('MEMBER', owner.spaceId);
  shop = await installApplication(app, shopManifest({ subscriptions: [] }), owner);
  calls = new RunCalls(app, member);
});

type DataStep = Extract<Step, { kind: 'data' }>;
type Output = { rows: DataRow[]; nextCursor?: string | null; duplicate?: true };

const step = (
  operation: DataStep['operation'],
  fields: Partial<DataStep> = {},
  id: string = operation,
): Step => ({
  id,
  kind: 'data',
  applicationIdentifier: 'shop',
  table: 'orders',
  operation,
  ...fields,
});
const code = (source: string, id = 'code'): Step => ({ id, kind: 'code', source });
const FAIL = code('throw new Error("later")', 'fail');

const outputs = ({ steps }: Run) => steps.map(({ output }) => output as Output);
const listRows = async () =>
  (await app.request<Page<DataRow>>('GET', '/api/data/shop/orders/rows?sort=createdAt', { as: member })).body
    .items;
const totals = async () => (await listRows()).map(({ total }) => total);
const addRow = async (total: number) =>
  (await app.request<DataRow>('POST', '/api/data/shop/orders/rows', { as: member, body: { total } })).body;
const envelopes = () =>
  app.sql<{ runId: string; depth: number; path: string[]; payload: { total: number }; userId: string }>(
    `select causation_run_id as "runId", depth, path, payload, actor_user_id as "userId" from envelope
     where space_id = $1 order by id`,
    [member.spaceId],
  );

describe('a step that works with rows', () => {
  verifies('data.steps', 'inserts, finds, gets, updates, and deletes them, with templates', async () => {
    const run = await calls.result([
      step('insert', { values: [{ total: 5 }, { total: 20, note: 'gift' }, { total: 30 }] }),
      step('find', {
        where: { total: { $gte: '{{steps.insert.output.rows.1.total}}' } },
        order: 'total',
        limit: 1,
      }),
      step(
        'find',
        {
          where: { total: { $gte: 20 } },
          order: 'total',
          limit: 1,
          cursor: '{{steps.find.output.nextCursor}}',
        },
        'more',
      ),
      step('update', { where: { id: '{{steps.insert.output.rows.0.id}}' }, values: { note: 'late' } }),
      step('get', { where: { id: '{{steps.insert.output.rows.0.id}}' } }),
      step('delete', { where: { id: '{{steps.insert.output.rows.2.id}}' } }),
    ]);
    expect([run.status, run.error]).toEqual(['SUCCEEDED', undefined]);
    const [inserted, found, more, updated, got, deleted] = outputs(run);
    const [first, second, third] = inserted?.rows ?? [];
    expect(inserted?.rows).toMatchObject([
      { total: 5, note: null },
      { total: 20, note: 'gift' },
      { total: 30 },
    ]);
    expect(found).toEqual({ rows: [second], nextCursor: expect.any(String) as unknown });
    expect(more).toEqual({ rows: [third], nextCursor: null });
    expect(updated?.rows).toMatchObject([{ id: first?.id, total: 5, note: 'late' }]);
    expect(got).toEqual(updated);
    expect(deleted).toEqual({ rows: [] });
    expect(await listRows()).toEqual([got?.rows[0], second]);
    expect(run.steps[1]?.input).toEqual({ where: { total: { $gte: 20 } } });
  });

  verifies(
    'data.steps.events',
    'emits as the owner, as a child of the run, and within the limits of the space',
    async () => {
      const run = await calls.result([step('insert', { values: [{ total: 1 }, { total: 2 }] })]);
      const [first, second] = await envelopes();
      expect(first).toMatchObject({ runId: run.id, depth: 0, userId: member.userId, payload: { total: 1 } });
      expect(second).toMatchObject({ runId: run.id, payload: { total: 2 } });

      const task = await calls.createTask([step('insert', { values: { total: 9 } })], { type: 'EVENT' });
      const subscription = { taskId: task.id, applicationIdentifier: 'shop', event: 'order.shipped' };
      const subscribed = await app.request('POST', '/api/events/subscriptions', {
        as: owner,
        body: subscription,
      });
      expect(subscribed.status).toBe(201);
      const emission = { appIdentifier: 'shop', event: 'order.shipped', payload: {} };
      const { body } = await app.request<EmitResponse>('POST', '/api/events/emit', {
        as: shop,
        body: emission,
      });
      const child = await eventually(async () => {
        const [found] = await app.sql('select * from envelope where causation_id = $1', [body.envelopeId]);
        expect(found).toBeDefined();
        return found;
      });
      expect(child).toMatchObject({ depth: 1, source: 'datasource', payload: { total: 9 } });

      app.get(RateLimits).countEmissions(member.spaceId, 30_000 - 4);
      const refused = await calls.result([step('insert', { values: [{ total: 1 }, { total: 2 }] })]);
      expect(refused.error?.message).toContain('The space emits at most 30000 events per minute');
    },
  );

  verifies(
    'workflow.test',
    'writes rows in a test with real effects, but emits none of their events',
    async () => {
      const task = await calls.createTask([
        step('insert', { values: { total: 1 } }),
        code(`return platform.data.insert('shop', 'orders', { total: 2 })`),
      ]);
      const test = await calls.request('POST', `/tasks/${task.id}/test`, { body: { effects: 'real' } });
      expect(test.status).toBe(202);
      const run = await calls.reached(test.body);
      expect([run.status, run.steps.map(({ simulated }) => simulated)]).toEqual(['SUCCEEDED', [null, null]]);
      expect(await totals()).toEqual([1, 2]);
      expect(await envelopes()).toEqual([]);
    },
  );

  verifies('data.steps.once', 'writes once in all attempts of a run, retried by hand or not', async () => {
    const kept = await addRow(100);
    const gone = await addRow(200);
    const task = await calls.createTask([
      step('insert', { values: { total: 1 } }),
      step('update', { where: { id: kept.id }, values: { note: 'by the run' } }),
      step('delete', { where: { id: gone.id } }),
      code(`const { attempt } = context.execution;
          const orders = attempt === 1 ? [7, 8, 8] : [8, 8, 9];
          const rows = []; for (const total of orders) rows.push(await platform.data.insert('shop', 'orders', { total }));
          return { rows }`),
      FAIL,
    ]);
    const begun = await calls.reached(await calls.start(task), 'FAILED');
    const repeat = () => calls.retry(begun, { from: begun.steps[0]?.id ?? '' });
    await repeat();
    const failed = await calls.reached(begun);
    expect(failed).toMatchObject({ status: 'FAILED', attempt: 2, error: { message: /later/ } });
    // Code that makes other calls in another attempt loses none of them.
    expect(await totals()).toEqual([100, 1, 7, 8, 8, 9]);
    expect(outputs(failed)).toMatchObject([
      { rows: [{ total: 1 }], duplicate: true },
      { rows: [{ id: kept.id, note: 'by the run' }], duplicate: true },
      { rows: [], duplicate: true },
      { rows: [{ total: 8 }, { total: 8 }, { total: 9 }] },
      null,
    ]);
    // What has happened to a row since is not undone.
    const change = { as: member, body: { note: 'by a person' } };
    await app.request('PATCH', `/api/data/shop/orders/rows/${kept.id}`, change);
    await repeat();
    expect(await calls.reached(failed)).toMatchObject({ attempt: 3 });
    expect(await totals()).toEqual([100, 1, 7, 8, 8, 9]);
    expect((await listRows())[0]).toMatchObject({ note: 'by a person' });
    expect((await envelopes()).map(({ payload }) => payload.total)).toEqual([100, 200, 1, 7, 8, 8, 9]);
  });

  verifies('data.steps.once', 'finds what it has written also when a limit is reached by then', async () => {
    const failed = await calls.result([step('insert', { values: [{ total: 1 }, { total: 2 }] }), FAIL]);
    app.get(RateLimits).countEmissions(member.spaceId, 30_000 - 3);
    await calls.retry(failed, { from: failed.steps[0]?.id ?? '' });
    const again = await calls.reached(failed);
    expect(again).toMatchObject({ attempt: 2, error: { message: /later/ } });
    expect(outputs(again)[0]).toEqual({ ...outputs(failed)[0], duplicate: true });
    expect(await totals()).toEqual([1, 2]);
    // The repetition has counted nothing.
    expect(() => app.get(RateLimits).countEmissions(member.spaceId, 1)).not.toThrow();
  });

  verifies('data.steps.once', 'inserts once if the response to COMMIT is lost', async () => {
    const lost = new LostCommits(app.get(Database));
    try {
      lost.next(/insert into data_row/);
      const run = await calls.result([step('insert', { values: { total: 1 } })]);
      expect([lost.lost, run.status, await totals()]).toEqual([1, 'SUCCEEDED', [1]]);
      // The response to an update is not looked up, and another attempt finds that it has happened.
      const [row] = await listRows();
      lost.next(/update "data_row"/i);
      const values = { note: 'once' };
      const updated = await calls.result([step('update', { where: { id: row?.id }, values })], {
        retry: { attempts: 1, backoffMs: 0 },
      });
      expect([lost.lost, updated.status, updated.attempt]).toEqual([2, 'SUCCEEDED', 2]);
      expect(outputs(updated)).toMatchObject([{ rows: [{ note: 'once' }], duplicate: true }]);
    } finally {
      lost.restore();
    }
  });

  it.each<[DataStep['operation'], Partial<DataStep>, string]>([
    ['find', { where: { totl: 1 } }, 'where.totl names totl, which is no column of the table'],
    [
      'find',
      { where: { total: '{{inputs.n}}', note: 1 } },
      'where.note must be a text of at most 99 characters',
    ],
    [
      'find',
      { where: { total: { $near: '{{inputs.n}}' } } },
      'where.total has no operator $near; it takes $gt, $gte, $lt, $lte, $prefix',
    ],
    ['find', { order: '-totl' }, 'order names totl, which is no column of the table'],
    ['find', { limit: 101 }, 'limit must be an integer from 1 to 100'],
    ['find', { values: { total: 1 } }, 'values is not used by find'],
    ['get', {}, 'where must be given to get rows'],
    ['get', { where: { total: 1 } }, 'where must be {"id": …} with the id of one row'],
    ['insert', {}, 'values must be given to insert rows'],
    ['insert', { values: [] }, 'values must be an object, or an array of 1 to 100 objects'],
    ['insert', { values: [{ total: 1 }, { note: 'n' }] }, 'values.1.total must be a number'],
    [
      'insert',
      { values: { total: '{{inputs.n}}', other: '{{inputs.n}}' } },
      'values.other is not a known field',
    ],
    ['insert', { values: { total: 1 }, where: { id: 'x' } }, 'where is not used by insert'],
    [
      'update',
      { where: { id: 'x' }, values: [{ total: 1 }] },
      'values must be an object: one row is changed',
    ],
    ['delete', { where: { id: 'x', total: 1 } }, 'where must be {"id": …} with the id of one row'],
    ['drop' as 'find', {}, 'operation must be one of find, get, insert, update, delete'],
  ])(
    'is refused when it is stored, and names the field: %s %j [data.steps.refused]',
    async (operation, fields, problem) => {
      const one = step(operation, fields);
      const body = { name: 'x', type: 'MANUAL', workflow: { steps: [one] } };
      const { status, body: answer } = await app.request('POST', '/api/tasks', { as: member, body });
      expect([status, answer]).toMatchObject([400, { message: `workflow.steps.0.${problem}` }]);

      const task = { key: 'wrong', name: 'Wrong', workflow: { steps: [one] } };
      const manifest = shopManifest({ version: '2', tasks: [task], subscriptions: [] });
      const refused = await app.request('PUT', '/api/applications/shop', { as: owner, body: manifest });
      const pointer = problem.replace(/^[^ ]+/, (path) => path.replaceAll('.', '/'));
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { message: `/tasks/0/workflow/steps/0/${pointer}` },
      ]);
    },
  );

  verifies(
    'data.steps.refused',
    'fails with the field if its values do not fit, and changes nothing',
    async () => {
      const tables = [
        step('insert', { table: 'none', values: { total: 1 } }),
        step('insert', { applicationIdentifier: 'none', values: { total: 1 } }),
      ];
      for (const [one, message] of [
        [tables[0], 'workflow.steps.0: Application shop has no table none'],
        [tables[1], 'workflow.steps.0: Application none is not installed'],
      ]) {
        const body = { name: 'x', type: 'MANUAL', workflow: { steps: [one] } };
        expect((await app.request('POST', '/api/tasks', { as: member, body })).body).toMatchObject({
          message,
        });
      }
      const values = [{ total: 1 }, { total: '{{inputs.n}}' }];
      const run = await calls.reached(
        await calls.start(await calls.createTask([step('insert', { values })]), { n: 'x' }),
      );
      expect(run.error).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: 'values.1.total must be a number',
      });
      const note = 'x'.repeat(250_000);
      const large = await calls.result([
        code(
          `return platform.data.insert('shop', 'orders', Array.from({ length: 4 }, () => ({ total: 1, note: 'x'.repeat(262100) })))`,
        ),
      ]);
      expect(large.error?.message).toMatch(
        /^values must have at most \d+ bytes as rows, with all columns; it has \d+/,
      );
      expect(await listRows()).toEqual([]);

      for (let i = 0; i < 5; i++)
        await app.request('POST', '/api/data/shop/orders/rows', { as: member, body: { total: i, note } });
      const paged = await calls.result([
        code(`const found = []; let page = {};
        do {
          page = await platform.data.find('shop', 'orders', { order: 'total', limit: 100, cursor: page.nextCursor });
          found.push(page.rows.map(({ total }) => total));
        } while (page.nextCursor !== null);
        return { found }`),
      ]);
      expect(outputs(paged)).toEqual([{ found: [[0, 1, 2, 3], [4]] }]);
    },
  );

  verifies('data.steps.code', 'is what code calls by platform.data', async () => {
    const run = await calls.result([
      code(`const orders = (operation, ...args) => platform.data[operation]('shop', 'orders', ...args);
        const one = await orders('insert', { total: 1, note: '{{inputs.n}}' });
        const two = await orders('insert', [{ total: 2 }, { total: 3 }]);
        const changed = await orders('update', one.id, { total: 4 });
        const got = await orders('get', one.id);
        const nothing = await orders('delete', two[0].id);
        const { rows, nextCursor } = await orders('find', { where: { total: { $gt: 2 } }, order: 'total' });
        const errors = [];
        for (const call of [
          () => orders('get', two[0].id), () => orders('get'), () => orders('get', 'x'),
          () => orders('find', { filter: {} }), () => orders('insert', { total: 'x' }), () => orders('insert', {}),
          () => platform.data.find('shop', 'none'), () => platform.data.find(),
        ]) await call().catch(({ code, message }) => errors.push([code, message]));
        return { same: JSON.stringify(changed) === JSON.stringify(got), note: one.note, nothing: nothing === undefined,
          found: rows.map(({ total }) => total), nextCursor, errors, id: two[0].id }`),
    ]);
    const [output] = run.steps.map((one) => one.output as { id: string });
    expect(output).toEqual({
      same: true,
      note: '{{inputs.n}}',
      nothing: true,
      found: [3, 4],
      nextCursor: null,
      id: output?.id,
      errors: [
        ['NOT_FOUND', expect.stringContaining(output?.id ?? '')],
        ['VALIDATION_ERROR', 'platform.data.where must be {"id": …} with the id of one row'],
        ['NOT_FOUND', expect.stringContaining('Row x')],
        ['VALIDATION_ERROR', 'platform.data.filter is not a known field'],
        ['VALIDATION_ERROR', 'platform.data.values.total must be a number'],
        ['VALIDATION_ERROR', 'platform.data.values.total must be a number'],
        ['VALIDATION_ERROR', 'platform.data: Application shop has no table none'],
        ['VALIDATION_ERROR', expect.stringContaining('platform.data.applicationIdentifier must be a text')],
      ],
    });
  });
});
