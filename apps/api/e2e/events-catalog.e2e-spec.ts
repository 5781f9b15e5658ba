import type { CatalogApplication, ErrorBody } from '@platform/contracts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let application: TestUser;

beforeAll(async () => {
  app = await TestApp.start();
  application = await installApplication(app);
});
afterAll(() => app.close());

async function catalog(as: TestUser = app.admin): Promise<CatalogApplication[]> {
  const answer = await app.request<CatalogApplication[]>('GET', '/api/events/catalog', { as });
  expect(answer.status).toBe(200);
  return answer.body;
}

const namesOf = (listed: CatalogApplication[]) =>
  listed.map(({ applicationIdentifier, events }) => [
    applicationIdentifier,
    ...events.map(({ name }) => name),
  ]);

describe('the catalog', () => {
  verifies(
    'events.catalog',
    'groups events by application, with their schemas exactly as declared',
    async () => {
      const schema = {
        type: 'object',
        properties: { zeta: { type: 'string' }, alpha: { const: 'a\u0000b' }, constructor: { type: 'null' } },
        required: ['alpha'],
      };
      const events = [{ name: 'desk.opened', description: 'A desk opened.', payloadSchema: schema }];
      await installApplication(app, { identifier: 'desk', name: 'A help desk', version: '1', events });
      const listed = await catalog(app.member);
      expect(namesOf(listed)).toEqual([
        ['desk', 'desk.opened'],
        ['shop', 'order.created', 'order.shipped'],
      ]);
      expect(listed[0]).toEqual({ applicationIdentifier: 'desk', name: 'A help desk', events });
      // Also the order of the keys.
      expect(JSON.stringify(listed[0]?.events[0]?.payloadSchema)).toBe(JSON.stringify(schema));
      expect(await catalog(app.outsider)).toEqual([]);
    },
  );

  verifies('events.catalog', 'refuses applications, which may only emit', async () => {
    const answer = await app.request('GET', '/api/events/catalog', { as: application });
    expect(answer.status).toBe(403);
  });

  verifies(
    'events.catalog.registered-only',
    'follows upgrades, uninstalls, and new installations',
    async () => {
      const [created] = shopManifest().events ?? [];
      if (created === undefined) throw new Error('The shop has no events');
      const paid = { ...created, name: 'order.paid' };
      const upgrade = { ...shopManifest({ version: '2.0.0', name: 'Shop 2' }), events: [created, paid] };
      const upgraded = await app.request('PUT', '/api/applications/shop', { body: upgrade });
      expect(upgraded.status).toBe(200);
      const shop = (await catalog()).find(({ applicationIdentifier }) => applicationIdentifier === 'shop');
      expect(shop?.name).toBe('Shop 2');
      expect(shop?.events.map(({ name }) => name)).toEqual(['order.created', 'order.paid']);

      expect((await app.request('DELETE', '/api/applications/shop')).status).toBe(204);
      expect(namesOf(await catalog())).toEqual([['desk', 'desk.opened']]);
      await installApplication(app);
      expect(namesOf(await catalog())[1]).toEqual(['shop', 'order.created', 'order.shipped']);
    },
  );

  verifies(
    'events.catalog.registered-only',
    'has no route that creates, edits, or deletes an event',
    async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        for (const path of ['catalog', 'catalog/shop', 'catalog/shop/order.created', ''])
          expect((await app.request(method, `/api/events/${path}`, { body: {} })).status).toBe(404);
    },
  );

  it('counts a version of an event only when its schema changes', async () => {
    const versions = () =>
      app.sql(
        `select name, version from registered_event where name in ('order.created', 'order.shipped') order by name`,
      );
    const before = (await versions()) as { version: number }[];
    const [created, shipped] = shopManifest().events ?? [];
    const events = [
      { ...created, description: 'Another sentence.' },
      { ...shipped, payloadSchema: { type: 'object', maxProperties: 9 } },
    ];
    const body = { ...shopManifest({ version: '3.0.0' }), events };
    expect((await app.request('PUT', '/api/applications/shop', { body })).status).toBe(200);
    const after = (await versions()) as { version: number }[];
    expect(after.map(({ version }, i) => version - (before[i]?.version ?? 0))).toEqual([0, 1]);
  });

  verifies('events.catalog', 'has at most 8 MB, so that nobody reads more at once', async () => {
    const { spaceId } = app.outsider;
    await installApplication(app, shopManifest(), app.outsider);
    await app.sql(
      `update registered_event set payload_schema = json_build_object('description', repeat('x', 8 * 1024 * 1024))
       where space_id = $1 and name = 'order.created'`,
      [spaceId],
    );
    const install = () =>
      app.request<ErrorBody>('POST', '/api/applications', {
        as: app.outsider,
        body: shopManifest({ identifier: 'shop2' }),
      });
    const refused = await install();
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('at most 8388608 are stored');
    // What is no longer registered does not count.
    expect((await app.request('DELETE', '/api/applications/shop', { as: app.outsider })).status).toBeLessThan(
      300,
    );
    expect((await install()).status).toBe(201);
  });
});
