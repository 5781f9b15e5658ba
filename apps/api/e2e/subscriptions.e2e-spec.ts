import type { FilterPreview, Page, Subscription, Task } from '@platform/contracts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { applicationIdOf, createTask, recordEnvelope, subscribe } from './harness/event-calls.ts';
import { verifies } from './verifies.ts';

const PATH = '/api/events/subscriptions';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
  await installApplication(app, shopManifest({ subscriptions: [] }));
});
afterAll(() => app.close());

async function list(query = ''): Promise<Subscription[]> {
  const answer = await app.request<Page<Subscription>>('GET', `${PATH}${query}`);
  expect(answer.status).toBe(200);
  return answer.body.items;
}

async function change(id: string, body: object): Promise<Subscription> {
  const answer = await app.request<Subscription>('PATCH', `${PATH}/${id}`, { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function get(id: string): Promise<Subscription> {
  const answer = await app.request<Subscription>('GET', `${PATH}/${id}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function refused(body: object, as: TestUser = app.admin): Promise<[number, string]> {
  const reference = { applicationIdentifier: 'shop', event: 'order.created' };
  const answer = await app.request('POST', PATH, { as, body: { ...reference, ...body } });
  return [answer.status, String(answer.body.message)];
}

describe('a subscription', () => {
  verifies('subscriptions.lifecycle', 'is created, read, listed, and deleted', async () => {
    const task = await createTask(app);
    const filter = { currency: 'EUR', amount: [50, 100] };
    const created = await subscribe(app, { taskId: task.id, filter });
    expect(created).toEqual({
      id: expect.any(String),
      applicationIdentifier: 'shop',
      event: 'order.created',
      taskId: task.id,
      taskName: task.name,
      filter,
      debounce: null,
      batch: null,
      enabled: true,
      origin: 'USER',
      waitingForApplication: false,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await get(created.id)).toEqual(created);
    expect(await list()).toEqual([created]);
    expect((await app.request('DELETE', `${PATH}/${created.id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await app.request(method, `${PATH}/${created.id}`, { body: undefined })).status).toBe(404);
    // The row stays, as the log names it.
    expect(
      await app.sql('select 1 from subscription where id = $1 and deleted_at is not null', [created.id]),
    ).toHaveLength(1);
  });

  verifies('subscriptions.possible', 'is refused if it can never match, or exists already', async () => {
    const payloadSchema = {
      type: 'object',
      additionalProperties: false,
      properties: { amount: { type: 'number' } },
    };
    const events = [{ name: 'lot.sold', description: 'A lot was sold.', payloadSchema }];
    await installApplication(app, { identifier: 'lots', name: 'Lots', version: '1', events });
    const reference = {
      applicationIdentifier: 'lots',
      event: 'lot.sold',
      taskId: (await createTask(app)).id,
    };
    expect(await refused({ ...reference, filter: { amonut: 1 } })).toEqual([
      400,
      'filter.amonut can never match: the event has no field amonut (did you mean amount?)',
    ]);
    const first = await subscribe(app, { ...reference, filter: { amount: { $gt: 10 } } });
    expect(await refused({ ...reference, filter: { amount: { $gt: 10 } } })).toEqual([
      409,
      `The task is already subscribed to lot.sold with this filter, by the subscription ${first.id}`,
    ]);
    const other = await subscribe(app, reference);
    expect((await refused({ ...reference, filter: {} }))[0]).toBe(409);
    const body = { filter: { amount: { $gt: 10 } } };
    expect((await app.request('PATCH', `${PATH}/${other.id}`, { body })).status).toBe(409);
    expect((await change(first.id, body)).filter).toEqual(body.filter);
    const wrong = { filter: { amount: '1' } };
    expect((await app.request('PATCH', `${PATH}/${other.id}`, { body: wrong })).status).toBe(400);
    const raced = await Promise.all([1, 2, 3].map(() => refused({ ...reference, filter: { amount: 7 } })));
    expect(raced.map(([status]) => status).sort()).toEqual([201, 409, 409]);
    for (const { id } of await list('?applicationIdentifier=lots'))
      await app.request('DELETE', `${PATH}/${id}`);
  });

  verifies('task.templates.possible', 'is refused if its task can never read the event', async () => {
    const payloadSchema = {
      type: 'object',
      additionalProperties: false,
      properties: {
        customer: { type: 'object', additionalProperties: false, properties: { id: { type: 'string' } } },
      },
    };
    const events = [{ name: 'seat.sold', description: 'A seat was sold.', payloadSchema }];
    await installApplication(app, { identifier: 'seats', name: 'Seats', version: '1', events });
    const workflowOf = (id: string) => ({
      steps: [
        {
          id: 'tell',
          kind: 'emit',
          applicationIdentifier: 'shop',
          event: 'order.shipped',
          payload: { a: [id] },
        },
      ],
    });
    const taskOf = async (id: string, type = 'EVENT') => {
      const body = { name: 'Tell', type, workflow: workflowOf(id) };
      return app.request<Task & { message: string }>('POST', '/api/tasks', { body });
    };
    const reference = { applicationIdentifier: 'seats', event: 'seat.sold' };
    const wrong = await taskOf('{{trigger.payload.custmer.id}}');
    const problem =
      'workflow.steps.0.payload has {{trigger.payload.custmer.id}}, but the event has no field custmer (did you mean customer?)';
    expect(await refused({ ...reference, taskId: wrong.body.id })).toEqual([
      400,
      `taskId must name a task that can read the event: ${problem}`,
    ]);

    const right = await taskOf('{{trigger.payload.customer.id}}');
    await subscribe(app, { ...reference, taskId: right.body.id });
    const path = `/api/tasks/${right.body.id}`;
    const body = { workflow: workflowOf('{{trigger.payload.custmer.id}}') };
    expect(await app.request('PATCH', path, { body })).toMatchObject({
      status: 400,
      body: { message: problem },
    });
    const open = { workflow: workflowOf('{{trigger.payload.customer}} {{inputs.any}}') };
    expect((await app.request('PATCH', path, { body: open })).status).toBe(200);
    // The event of another application may have the field.
    await subscribe(app, { event: 'order.shipped', taskId: wrong.body.id });
    await app.request('DELETE', `/api/tasks/${wrong.body.id}`);

    expect(await taskOf('{{trigger.id}}', 'MANUAL')).toMatchObject({
      status: 400,
      body: {
        message: 'workflow.steps.0.payload has {{trigger.id}}, but no event starts a task of type MANUAL',
      },
    });
    const manual = await taskOf('{{inputs.id}}', 'MANUAL');
    const changed = await app.request('PATCH', `/api/tasks/${manual.body.id}`, {
      body: { workflow: workflowOf('{{trigger.id}}') },
    });
    expect(changed.status).toBe(400);
  });

  verifies('subscriptions.lifecycle', 'is listed by application, event, and task, page by page', async () => {
    const other = { identifier: 'mall', name: 'Mall', version: '1', events: shopManifest().events };
    await installApplication(app, other);
    const task = await createTask(app);
    const made: Subscription[] = [];
    for (const applicationIdentifier of ['shop', 'mall'])
      for (const event of ['order.created', 'order.shipped'])
        made.push(await subscribe(app, { applicationIdentifier, event, taskId: task.id }));
    await subscribe(app);
    const ids = (listed: Subscription[]) => listed.map(({ id }) => id);
    const [a, b, c, d] = ids(made);
    expect(ids(await list(`?taskId=${task.id}`))).toEqual([d, c, b, a]);
    expect(ids(await list('?applicationIdentifier=mall'))).toEqual([d, c]);
    expect(ids(await list('?event=order.shipped'))).toEqual([d, b]);
    expect(ids(await list('?applicationIdentifier=shop&event=order.shipped'))).toEqual([b]);
    expect(await list('?applicationIdentifier=none')).toEqual([]);
    expect(await list('?event=none.such')).toEqual([]);

    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `?limit=2&taskId=${task.id}${cursor && `&cursor=${cursor}`}`;
      const { body } = await app.request<Page<Subscription>>('GET', `${PATH}${query}`);
      seen.push(...ids(body.items));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual([d, c, b, a]);
    for (const id of ids(await list())) await app.request('DELETE', `${PATH}/${id}`);
  });

  verifies('subscriptions.lifecycle', 'is for admins, each change in the audit log', async () => {
    const { id } = await subscribe(app);
    const calls = [
      ['GET', PATH],
      ['POST', PATH],
      ['POST', `${PATH}/preview`],
      ['GET', `${PATH}/${id}`],
      ['PATCH', `${PATH}/${id}`],
      ['DELETE', `${PATH}/${id}`],
    ] as const;
    for (const [method, path] of calls)
      expect((await app.request(method, path, { as: app.member })).status).toBe(403);
    for (const [method, path] of calls.slice(3))
      expect(
        (await app.request(method, path, { as: app.outsider, ...(method === 'PATCH' && { body: {} }) }))
          .status,
      ).toBe(403);
    await change(id, { enabled: false });
    await app.request('DELETE', `${PATH}/${id}`);
    const entries = await app.sql<{ action: string }>(
      'select action from audit_entry where target_id = $1 order by id',
      [id],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'subscription.create',
      'subscription.update',
      'subscription.delete',
    ]);
  });

  verifies('subscriptions.registered-events', 'needs an event that is registered', async () => {
    const { id: taskId } = await createTask(app);
    expect(await refused({ taskId, event: 'order.lost' })).toEqual([
      404,
      'The event order.lost of the application shop is not registered',
    ]);
    expect((await refused({ taskId, applicationIdentifier: 'none' }))[0]).toBe(404);
    const outside = await createTask(app, 'EVENT', app.outsider);
    expect((await refused({ taskId: outside.id }, app.outsider))[0]).toBe(404);
  });

  verifies('subscriptions.event-tasks', 'needs a task of type EVENT, which keeps its type', async () => {
    for (const type of ['MANUAL'] as const) {
      const task = await createTask(app, type);
      expect(await refused({ taskId: task.id })).toEqual([
        400,
        `taskId must name a task of type EVENT, not ${type}`,
      ]);
    }
    const { id, taskId } = await subscribe(app);
    const retype = () => app.request('PATCH', `/api/tasks/${taskId}`, { body: { type: 'MANUAL' } });
    const answer = await retype();
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain(id);
    await app.request('DELETE', `${PATH}/${id}`);
    expect((await retype()).status).toBe(200);
  });

  verifies(
    'subscriptions.event-tasks',
    'and a change of type at the same time exclude each other',
    async () => {
      for (let round = 0; round < 20; round++) {
        const { id: taskId } = await createTask(app);
        const [subscribed, retyped] = await Promise.all([
          refused({ taskId }),
          app.request('PATCH', `/api/tasks/${taskId}`, { body: { type: 'MANUAL' } }),
        ]);
        expect([
          [201, 409],
          [400, 200],
        ]).toContainEqual([subscribed[0], retyped.status]);
      }
    },
  );

  verifies('subscriptions.own-space', 'takes no task of another space', async () => {
    const { id: taskId } = await createTask(app, 'EVENT', app.outsider);
    expect((await refused({ taskId }))[0]).toBe(403);
    expect((await refused({ taskId: '01990000-0000-7000-8000-000000000000' }))[0]).toBe(404);
    expect((await refused({ taskId: 'no-uuid' }))[0]).toBe(404);
    const insert = app.sql(
      `insert into subscription (space_id, application_id, event, task_id, origin)
       values ($1, $2, 'order.created', $3, 'USER')`,
      [app.admin.spaceId, await applicationIdOf(app), taskId],
    );
    await expect(insert).rejects.toMatchObject({ code: '23503' });
  });

  verifies('subscriptions.toggle', 'keeps id, filter, and origin when it is toggled', async () => {
    const created = await subscribe(app, { filter: { note: null }, enabled: false });
    expect(created.enabled).toBe(false);
    expect(await change(created.id, { enabled: true })).toEqual({ ...created, enabled: true });
    expect(await change(created.id, { enabled: false })).toEqual(created);
    expect(await change(created.id, {})).toEqual(created);
    // Null means absent, except for the filter.
    expect(await change(created.id, { enabled: null })).toEqual(created);
  });

  verifies('subscriptions.filter', 'takes filters that name own fields, and null for none', async () => {
    const { id: taskId } = await createTask(app);
    const wrong: [unknown, string][] = [
      [[], 'filter must be an object'],
      ['x', 'filter must be an object'],
      [JSON.parse('{"__proto__": 1}'), 'filter.__proto__'],
      [{ constructor: 1 }, 'filter.constructor'],
      [{ a: { prototype: 1 } }, 'filter.a.prototype'],
      [
        Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, i])),
        'filter must have at most 32 fields',
      ],
      [{ a: Array.from({ length: 101 }, (_, i) => i) }, 'filter.a must have at most 100 members'],
    ];
    for (const [filter, problem] of wrong) {
      const [status, message] = await refused({ taskId, filter });
      expect([status, message]).toEqual([400, expect.stringContaining(problem)]);
    }
    const { id } = await subscribe(app, { taskId, filter: { total: 5 } });
    expect((await change(id, { enabled: true })).filter).toEqual({ total: 5 });
    expect((await change(id, { filter: { total: [6, 7] } })).filter).toEqual({ total: [6, 7] });
    expect((await change(id, { filter: null })).filter).toBeNull();
    expect((await app.request('PATCH', `${PATH}/${id}`, { body: { filter: 5 } })).status).toBe(400);
    expect((await app.request('PATCH', `${PATH}/${id}`, { body: { event: 'x.y' } })).status).toBe(400);
  });

  verifies('subscriptions.bounds', 'is one of 1,000 to its event at most', async () => {
    const events = [{ name: 'lot.sold', description: 'A lot was sold.', payloadSchema: true }];
    await installApplication(app, { identifier: 'crowd', name: 'Crowd', version: '1', events });
    const reference = { applicationIdentifier: 'crowd', event: 'lot.sold' };
    const { id, taskId } = await subscribe(app, reference);
    await app.sql(
      `insert into subscription (space_id, application_id, event, task_id, origin, filter)
       select space_id, application_id, event, task_id, origin, json_build_object('n', i)
       from subscription, generate_series(1, 998) i where id = $1`,
      [id],
    );
    const raced = await Promise.all(
      [-1, -2, -3].map(async (n) =>
        refused({ ...reference, taskId: (await createTask(app)).id, filter: { n } }),
      ),
    );
    expect(raced.map(([status]) => status).sort()).toEqual([201, 409, 409]);
    expect(await refused({ ...reference, taskId, filter: { n: -4 } })).toEqual([
      409,
      'The event lot.sold has 1000 subscriptions, which is the most: delete one of them first',
    ]);
    await app.request('DELETE', `${PATH}/${id}`);
    expect((await refused({ ...reference, taskId, filter: { n: -4 } }))[0]).toBe(201);
    await app.sql(`update subscription set deleted_at = clock_timestamp() where event = 'lot.sold'`);
  });

  it('is deleted with its task', async () => {
    const { id, taskId } = await subscribe(app);
    expect((await app.request('DELETE', `/api/tasks/${taskId}`)).status).toBe(204);
    expect((await app.request('GET', `${PATH}/${id}`)).status).toBe(404);
  });
});

describe('an application that comes and goes', () => {
  const manifest = (version: string) =>
    shopManifest({
      identifier: 'kiosk',
      version,
      subscriptions: ['one', 'two', 'three'].map((key) => ({
        key,
        event: 'order.created',
        taskKey: 'greet',
      })),
    });
  const defaults = async () => (await list('?applicationIdentifier=kiosk')).reverse();

  verifies(
    ['subscriptions.default', 'subscriptions.survive'],
    'finds its subscriptions as people left them, and those of the user wait for it',
    async () => {
      await installApplication(app, manifest('1.0.0'));
      const [one, two, three] = await defaults();
      if (!one || !two || !three) throw new Error('Three default subscriptions were expected');
      expect(one).toMatchObject({ origin: 'APP_DEFAULT', enabled: true, taskName: 'Greet' });
      await change(one.id, { enabled: false });
      await change(two.id, { filter: { total: 7 } });
      await app.request('DELETE', `${PATH}/${three.id}`);
      const own = await subscribe(app, { applicationIdentifier: 'kiosk', filter: { total: 3 } });
      const kept = [{ ...one, enabled: false }, { ...two, filter: { total: 7 } }, own];
      expect(await defaults()).toEqual(kept);

      expect((await app.request('DELETE', '/api/applications/kiosk')).status).toBe(204);
      expect(await defaults()).toEqual([{ ...own, waitingForApplication: true }]);
      expect((await app.request('GET', `${PATH}/${one.id}`)).status).toBe(404);
      await installApplication(app, manifest('1.0.0'));
      expect(await defaults()).toEqual(kept);

      // An upgrade without the event, and without one of the keys.
      const [, shipped] = manifest('2').events ?? [];
      const next = { ...manifest('2.0.0'), tables: [], subscriptions: [], events: [shipped] };
      const upgraded = await app.request('PUT', '/api/applications/kiosk', { body: next });
      expect([upgraded.status, upgraded.text]).toEqual([200, expect.any(String)]);
      expect(await defaults()).toEqual([{ ...own, waitingForApplication: true }]);
      const back = await app.request('PUT', '/api/applications/kiosk', { body: manifest('3.0.0') });
      expect(back.status).toBe(200);
      expect(await defaults()).toEqual(kept);
    },
  );
});

describe('a preview', () => {
  verifies('subscriptions.preview', 'matches the latest envelopes and says what failed', async () => {
    const applicationId = await applicationIdOf(app);
    for (let total = 1; total <= 60; total++)
      await recordEnvelope(app, { applicationId, payload: { total } });
    await recordEnvelope(app, { applicationId, event: 'order.shipped', payload: { total: 60 } });
    const answer = await app.request<FilterPreview>('POST', `${PATH}/preview`, {
      body: { applicationIdentifier: 'shop', event: 'order.created', filter: { total: [59, 60] } },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.items).toHaveLength(50);
    expect(answer.body.matched).toBe(2);
    expect(answer.body.items[0]).toMatchObject({ matches: true, reason: null });
    expect(answer.body.items[2]).toMatchObject({
      matches: false,
      reason: 'total: 58, wanted one of [59,60]',
    });
    const unknown = { applicationIdentifier: 'shop', event: 'order.lost', filter: null };
    expect((await app.request('POST', `${PATH}/preview`, { body: unknown })).status).toBe(404);
    const wrong = { applicationIdentifier: 'shop', event: 'order.created', filter: 5 };
    expect((await app.request('POST', `${PATH}/preview`, { body: wrong })).status).toBe(400);
  });

  verifies('subscriptions.preview', 'reads about 4 MB of payloads at most', async () => {
    const applicationId = await applicationIdOf(app);
    const note = 'x'.repeat(250_000);
    for (let total = 1; total <= 20; total++)
      await recordEnvelope(app, { applicationId, event: 'order.shipped', payload: { total, note } });
    const body = { applicationIdentifier: 'shop', event: 'order.shipped' };
    const answer = await app.request<FilterPreview>('POST', `${PATH}/preview`, { body });
    expect(answer.body.items).toHaveLength(16);
    expect(answer.body.matched).toBe(16);
  });
});

describe('a task', () => {
  verifies('subscriptions.survive', 'with subscriptions can be renamed and disabled', async () => {
    const { id, taskId } = await subscribe(app);
    const renamed = await app.request<Task>('PATCH', `/api/tasks/${taskId}`, {
      body: { name: 'Another name', enabled: false, type: 'EVENT' },
    });
    expect(renamed.status).toBe(200);
    expect((await get(id)).taskName).toBe('Another name');
  });
});
