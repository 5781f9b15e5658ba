import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent, AvailableModels, Model, ModelTestResult, Page, SavedModel } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { CatalogService } from '../src/models/catalog/catalog.service.ts';
import { ModelsService } from '../src/models/catalog/models.service.ts';
import { startOpenAiServer } from './fixtures/openai-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { verifies } from './verifies.ts';

const OFFLINE_ID = '00000000-0000-0000-0000-000000000001';
const NOWHERE = '01900000-0000-7000-8000-000000000000';
const CANARY = 'sk-canary-7d1f0a52';
const BASE_URL = 'https://models.example/v1';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

let count = 0;
const fresh = () => `model-${++count}`;

function post(body: object, as?: TestUser) {
  return app.request<Model>('POST', '/api/models', { body, ...(as && { as }) });
}

async function made(more: object = {}, as?: TestUser): Promise<Model> {
  const { status, body } = await post({ name: fresh(), baseUrl: BASE_URL, ...more }, as);
  expect(status).toBe(201);
  return body;
}

async function listed(as?: TestUser): Promise<Model[]> {
  return (await app.request<Page<Model>>('GET', '/api/models?limit=200', as ? { as } : {})).body.items;
}

describe('platform/offline', () => {
  verifies('models.offline', 'ends every list', async () => {
    await made();
    expect((await listed()).at(-1)).toEqual({
      id: OFFLINE_ID,
      name: 'platform/offline',
      provider: 'offline',
      kind: 'chat',
      baseUrl: null,
      apiKeyConfigured: false,
      upstreamModel: 'platform/offline',
      contextWindow: 32_768,
      maxOutputTokens: 8192,
      price: { inputPerMillion: 0, outputPerMillion: 0, cachedInputPerMillion: 0 },
      capabilities: { images: true, audio: true, files: true, tools: true },
      createdAt: '1970-01-01T00:00:00.000Z',
      updatedAt: '1970-01-01T00:00:00.000Z',
    });
    expect((await listed(app.outsider)).map(({ name }) => name)).toEqual(['platform/offline']);
  });

  verifies('models.offline', 'cannot be changed, deleted, or created again', async () => {
    const path = `/api/models/${OFFLINE_ID}`;
    expect((await app.request('PATCH', path, { body: { contextWindow: 5 } })).status).toBe(409);
    expect((await app.request('DELETE', path)).status).toBe(409);
    expect((await post({ name: 'platform/offline', baseUrl: BASE_URL })).status).toBe(409);
    const other = await made();
    expect(
      (await app.request('PATCH', `/api/models/${other.id}`, { body: { name: 'platform/offline' } })).status,
    ).toBe(409);
  });

  verifies(['models.offline', 'models.test'], 'passes its test', async () => {
    const { status, body } = await app.request<ModelTestResult>('POST', `/api/models/${OFFLINE_ID}/test`);
    expect([status, body.ok]).toEqual([200, true]);
    expect(body.latencyMs).toBeGreaterThanOrEqual(0);
  });
});

describe('a model', () => {
  verifies('models.fields', 'is made with defaults', async () => {
    const name = fresh();
    const { status, body } = await post({ name, baseUrl: BASE_URL });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      provider: 'openai-compatible',
      kind: 'chat',
      baseUrl: BASE_URL,
      apiKeyConfigured: false,
      upstreamModel: name,
      contextWindow: 128_000,
      maxOutputTokens: 4096,
      price: { inputPerMillion: null, outputPerMillion: null, cachedInputPerMillion: null },
      capabilities: { images: true, audio: false, files: true, tools: true },
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    // The clock is read twice, and a millisecond can begin in between.
    expect([0, 1]).toContain(Date.parse(body.updatedAt) - Date.parse(body.createdAt));
  });

  verifies('models.fields', 'stores the given values, with prices as numbers', async () => {
    const given = {
      name: fresh(),
      baseUrl: 'http://127.0.0.1:9/v1',
      upstreamModel: 'gpt-x',
      contextWindow: 1000,
      maxOutputTokens: 1000,
      price: { inputPerMillion: 0.000001, outputPerMillion: 1_000_000, cachedInputPerMillion: 0 },
      capabilities: { images: false, audio: true, files: false, tools: false },
    };
    const { status, body } = await post(given);
    expect(status).toBe(201);
    expect(body).toMatchObject(given);
    expect((await listed())[0]).toEqual(body);
  });

  const WRONG: [object, string][] = [
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ provider: 'azure' }, 'provider'],
    [{ baseUrl: undefined }, 'baseUrl'],
    [{ baseUrl: 'ftp://x' }, 'baseUrl'],
    [{ baseUrl: 'https://user:pw@x' }, 'baseUrl'],
    [{ baseUrl: 'https://x/v1?k=1' }, 'baseUrl'],
    [{ provider: 'offline' }, 'baseUrl'],
    [{ provider: 'offline', baseUrl: undefined, apiKey: 'k' }, 'apiKey'],
    [{ apiKey: 5 }, 'apiKey'],
    [{ apiKey: 'sk-pasted\n' }, 'apiKey'],
    [{ apiKey: 'sk-…1234' }, 'apiKey'],
    [{ upstreamModel: '' }, 'upstreamModel'],
    [{ contextWindow: 0 }, 'contextWindow'],
    [{ contextWindow: '5' }, 'contextWindow'],
    [{ contextWindow: 1.5 }, 'contextWindow'],
    [{ maxOutputTokens: 0 }, 'maxOutputTokens'],
    [{ contextWindow: 100, maxOutputTokens: 101 }, 'maxOutputTokens'],
    [{ price: 5 }, 'price'],
    [{ price: [] }, 'price'],
    [{ price: { inputPerMillion: -1 } }, 'price.inputPerMillion'],
    [{ price: { outputPerMillion: '1' } }, 'price.outputPerMillion'],
    [{ price: { cachedInputPerMillion: 1_000_000.1 } }, 'price.cachedInputPerMillion'],
    [{ price: { perMinute: 1 } }, 'price.perMinute'],
    [{ capabilities: { images: 'yes' } }, 'capabilities.images'],
    [{ capabilities: { video: true } }, 'capabilities.video'],
    [{ temperature: 1 }, 'temperature'],
  ];
  for (const [i, [wrong, field]] of WRONG.entries()) {
    verifies('models.strict', `refuses a wrong ${field}, case ${i}`, async () => {
      const { status, body } = await app.request('POST', '/api/models', {
        body: { name: fresh(), baseUrl: BASE_URL, ...wrong },
      });
      expect(body).toEqual({
        success: false,
        code: 'VALIDATION_ERROR',
        message: expect.stringMatching(new RegExp(`(^|; )${field.replace('.', '\\.')}[ :]`)),
        errors: expect.arrayContaining([{ path: field, message: expect.any(String) }]),
      });
      expect(status).toBe(400);
    });
  }

  verifies('models.fields', 'is changed in what is given alone', async () => {
    const before = await made({ price: { inputPerMillion: 1, outputPerMillion: 2 }, contextWindow: 9000 });
    const { status, body } = await app.request<Model>('PATCH', `/api/models/${before.id}`, {
      body: { price: { outputPerMillion: 3 }, name: null },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      price: { inputPerMillion: null, outputPerMillion: 3, cachedInputPerMillion: null },
      updatedAt: body.updatedAt,
    });
    const { status: wrong } = await app.request('PATCH', `/api/models/${before.id}`, {
      body: { maxOutputTokens: 9001 },
    });
    expect(wrong).toBe(400);
  });

  verifies('models.name.unique', 'has a unique name in its space until it is deleted', async () => {
    const name = fresh();
    const first = await made({ name });
    const second = await made();
    expect((await post({ name, baseUrl: BASE_URL })).body).toMatchObject({ code: 'CONFLICT' });
    expect((await app.request('PATCH', `/api/models/${second.id}`, { body: { name } })).status).toBe(409);
    await made({ name }, app.outsider);
    expect((await app.request('DELETE', `/api/models/${first.id}`)).status).toBe(204);
    expect((await app.request('DELETE', `/api/models/${first.id}`)).status).toBe(404);
    await made({ name });
  });

  verifies('models.name.unique', 'makes one of many that ask for the same name at once', async () => {
    const name = fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ name, baseUrl: BASE_URL })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('is listed in pages, the newest first', async () => {
    const as = await app.addUser('ADMIN', null);
    for (let i = 0; i < 4; i++) await made({ name: `paged-${i}` }, as);
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body }: { body: Page<Model> } = await app.request('GET', `/api/models?limit=2${query}`, { as });
      expect(body.items.length).toBeLessThanOrEqual(2);
      names.push(...body.items.map(({ name }) => name));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(['paged-3', 'paged-2', 'paged-1', 'paged-0', 'platform/offline']);
  });
});

describe('who may', () => {
  verifies('models.roles', 'is visible to members and can be changed only by admins', async () => {
    const { id } = await made();
    const as = app.member;
    expect((await listed(as)).map((model) => model.id)).toContain(id);
    const refused = await Promise.all([
      post({ name: fresh(), baseUrl: BASE_URL }, as),
      app.request('PATCH', `/api/models/${id}`, { as, body: {} }),
      app.request('DELETE', `/api/models/${id}`, { as }),
      app.request('POST', `/api/models/${id}/test`, { as }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await app.request('GET', '/api/models', { as: null })).status).toBe(401);
  });

  it.each(['PATCH', 'DELETE', 'POST'])(
    'answers 403 to %s of a foreign model, 404 of none',
    async (method) => {
      const { id } = await made({}, app.outsider);
      const statusOf = async (target: string) => {
        const path = `/api/models/${target}${method === 'POST' ? '/test' : ''}`;
        return (await app.request(method, path, method === 'PATCH' ? { body: {} } : {})).status;
      };
      expect(await statusOf(id)).toBe(403);
      expect(await statusOf(NOWHERE)).toBe(404);
      expect(await statusOf('no-uuid')).toBe(404);
    },
  );

  verifies(
    ['agents.audit', 'models.key.write-only'],
    'writes down what admins did, never a key',
    async () => {
      const { id, name } = await made({ apiKey: CANARY });
      await app.request('PATCH', `/api/models/${id}`, {
        body: { apiKey: `${CANARY}-2`, contextWindow: 5000 },
      });
      await app.request('DELETE', `/api/models/${id}`);
      const entries = await app.sql<{ action: string; details: object }>(
        'select action, details from audit_entry where target_id = $1 order by id',
        [id],
      );
      expect(entries).toEqual([
        { action: 'model.create', details: { name } },
        { action: 'model.update', details: { name, fields: ['apiKey', 'contextWindow'] } },
        { action: 'model.delete', details: { name } },
      ]);
    },
  );
});

describe('the API key', () => {
  verifies('models.key.write-only', 'is never returned and not readable anywhere', async () => {
    const { id } = await made({ apiKey: CANARY });
    const answers = await Promise.all([
      app.request('GET', '/api/models'),
      app.request('PATCH', `/api/models/${id}`, { body: { contextWindow: 64_000 } }),
      app.request('GET', '/api/models', { as: app.member }),
    ]);
    for (const { text } of answers) {
      expect(text).toContain('"apiKeyConfigured":true');
      expect(text).not.toContain(CANARY);
    }
    const rows = await app.sql<{ row: string }>(
      'select m::text as row from model m union all select a::text from audit_entry a',
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter(({ row }) => row.includes(CANARY))).toEqual([]);
    const [stored] = await app.sql<{ api_key: string }>('select api_key from model where id = $1', [id]);
    expect(stored?.api_key).toMatch(/^v1\./);
  });

  verifies('models.key.base-url', 'is required again with a new baseUrl', async () => {
    const { id } = await made({ apiKey: CANARY });
    const patch = (body: object) => app.request<Model>('PATCH', `/api/models/${id}`, { body });
    const moved = { baseUrl: 'https://elsewhere.example/v1' };
    expect(await patch(moved)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(/^apiKey /) },
    });
    expect((await patch({ baseUrl: BASE_URL })).status).toBe(200);
    expect((await patch({ ...moved, apiKey: 'another' })).body).toMatchObject({
      ...moved,
      apiKeyConfigured: true,
    });
    expect((await patch({ baseUrl: BASE_URL, apiKey: '' })).body).toMatchObject({
      baseUrl: BASE_URL,
      apiKeyConfigured: false,
    });
    expect((await patch(moved)).body).toMatchObject({ ...moved, apiKeyConfigured: false });
  });

  verifies(
    'models.key.write-only',
    'goes when the model becomes an offline one, and with the deleted model',
    async () => {
      const { id } = await made({ apiKey: CANARY });
      const { body } = await app.request<Model>('PATCH', `/api/models/${id}`, {
        body: { provider: 'offline' },
      });
      expect(body).toMatchObject({ provider: 'offline', baseUrl: null, apiKeyConfigured: false });
      const other = await made({ apiKey: CANARY });
      await app.request('DELETE', `/api/models/${other.id}`);
      const kept = await app.sql('select api_key from model where id = any($1)', [[id, other.id]]);
      expect(kept).toEqual([{ api_key: null }, { api_key: null }]);
    },
  );
});

describe('the test of a model', () => {
  verifies('models.test', 'calls the server with the key, and explains failures', async () => {
    const server = await startOpenAiServer({ apiKey: CANARY });
    try {
      const { id } = await made({ baseUrl: server.url, apiKey: CANARY, upstreamModel: 'gpt-real' });
      const test = async () => (await app.request<ModelTestResult>('POST', `/api/models/${id}/test`)).body;
      expect(await test()).toMatchObject({ ok: true, latencyMs: expect.any(Number) });
      expect(server.requests[0]?.body.model).toBe('gpt-real');

      const body = { name: fresh(), baseUrl: server.url, apiKey: CANARY };
      const created = await app.request<SavedModel>('POST', '/api/models?test=true', { body });
      expect([created.status, created.body.test?.ok]).toEqual([201, true]);
      const path = `/api/models/${id}?test=true`;
      const changed = await app.request<SavedModel>('PATCH', path, { body: { apiKey: 'wrong-key' } });
      expect([changed.status, changed.body.test?.ok]).toEqual([200, false]);
      const refused = await test();
      expect(changed.body.test).toEqual(refused);
      expect(refused).toMatchObject({ ok: false, latencyMs: null });
      expect(refused.message).not.toMatch(/wrong-key|127\.0\.0\.1/);
    } finally {
      await server.close();
    }
  });

  verifies('models.test', 'reports an unreachable server', async () => {
    const { id } = await made({ baseUrl: 'http://127.0.0.1:9/v1' });
    const { status, body } = await app.request<ModelTestResult>('POST', `/api/models/${id}/test`);
    expect([status, body.ok]).toEqual([200, false]);
    expect(body.message).not.toMatch(/127\.0\.0\.1/);
  });
});

describe('the models of a server', () => {
  const list = (body: object, as?: TestUser) =>
    app.request<AvailableModels>('POST', '/api/models/available', { body, ...(as && { as }) });
  const LISTED = { ok: true, names: ['fake'], isComplete: true, message: 'The server lists 1 model.' };

  verifies('models.available', 'are listed with a key that is not stored, or that of a model', async () => {
    const server = await startOpenAiServer({ apiKey: CANARY });
    try {
      const { status, body } = await list({ baseUrl: server.url, apiKey: CANARY });
      expect([status, body]).toEqual([200, LISTED]);
      const { id } = await made({ baseUrl: server.url, apiKey: CANARY });
      expect((await list({ modelId: id })).body).toEqual(LISTED);

      const failed = { ok: false, names: [], isComplete: false, message: expect.any(String) as unknown };
      for (const wrong of [
        { baseUrl: server.url },
        { baseUrl: server.url, apiKey: 'wrong-key' },
        { modelId: id, apiKey: 'wrong-key' },
        { modelId: id, apiKey: '' },
      ]) {
        const refused = await list(wrong);
        expect([refused.status, refused.body]).toEqual([200, failed]);
        expect(refused.body.message).toMatch(/refused the credentials \(HTTP 401\)/);
        expect(refused.text).not.toMatch(/wrong-key|127\.0\.0\.1|canary/);
      }
      const audited = await app.sql<{ details: object; target_id: string | null }>(
        `select details, target_id from audit_entry where action = 'model.list-available' order by id`,
      );
      expect(audited).toHaveLength(6);
      const details = { server: new URL(server.url).origin };
      expect(audited.slice(0, 2)).toEqual([
        { details, target_id: null },
        { details, target_id: id },
      ]);
      expect(JSON.stringify(audited)).not.toContain(CANARY);
    } finally {
      await server.close();
    }
  });

  verifies('models.available', 'are those of the built-in model without a server', async () => {
    const { body } = await list({ modelId: OFFLINE_ID });
    expect(body).toMatchObject({ ok: true, names: ['platform/offline'] });
  });

  verifies('models.available', 'are listed with the stored key at its own address alone', async () => {
    const { id } = await made({ apiKey: CANARY });
    const server = await startOpenAiServer();
    try {
      const { status, body } = await list({ modelId: id, baseUrl: server.url });
      expect([status, body]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })]);
      expect(server.requests).toHaveLength(0);
    } finally {
      await server.close();
    }
  });

  verifies('models.available', 'are listed for admins, and for models of their space', async () => {
    const { id } = await made();
    expect((await list({ modelId: id }, app.member)).status).toBe(403);
    expect((await list({ baseUrl: BASE_URL }, app.member)).status).toBe(403);
    expect((await list({ modelId: id }, app.outsider)).status).toBe(403);
    expect((await list({ modelId: NOWHERE })).status).toBe(404);
    for (const wrong of [{}, { modelId: 'no-uuid' }, { baseUrl: 'ftp://x' }, { baseUrl: 'https://a:b@x' }])
      expect((await list(wrong)).status).toBe(400);
  });

  verifies(
    'models.available',
    'look the same if their address is private and if nobody is there',
    async () => {
      const strict = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: 'nowhere.test' } });
      const server = await startOpenAiServer();
      try {
        const messageFor = async (baseUrl: string, as: TestUser) =>
          (await strict.request<AvailableModels>('POST', '/api/models/available', { as, body: { baseUrl } }))
            .body.message;
        const as = strict.outsider;
        const nobody = await messageFor('http://127.0.0.1:9/v1', as);
        expect(await messageFor(server.url, as)).toBe(nobody);
        expect(await messageFor('http://10.0.0.1/v1', as)).toBe(nobody);
        // The installation administrator can do something about it.
        expect(await messageFor('http://10.0.0.1/v1', strict.admin)).toBe(
          `${nobody} The address is not public: PLATFORM_ALLOWED_PRIVATE_HOSTS allows it.`,
        );
        expect(await messageFor('http://127.0.0.1:9/v1', strict.admin)).toBe(nobody);
        expect(server.requests).toHaveLength(0);
        expect(await messageFor(server.url, strict.admin)).toBe('The server lists 1 model.');
      } finally {
        await strict.close();
        await server.close();
      }
    },
  );
});

describe('a model server on loopback', () => {
  verifies(
    'models.loopback',
    'is reached only if an installation administrator gave its address',
    async () => {
      // No entry of the allowlist helps; the service itself listens on loopback.
      const strict = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: 'nowhere.test' } });
      const server = await startOpenAiServer();
      try {
        const second = await strict.addUser('ADMIN');
        const make = async (as: TestUser, baseUrl: string) => {
          const body = { name: fresh(), baseUrl };
          return (await strict.request<Model>('POST', '/api/models', { as, body })).body;
        };
        const test = async ({ id }: Model, as: TestUser) =>
          (await strict.request<ModelTestResult>('POST', `/api/models/${id}/test`, { as })).body;
        const change = (model: Model, as: TestUser, body: object) =>
          strict.request('PATCH', `/api/models/${model.id}`, { as, body });

        const own = await make(strict.admin, server.url);
        expect(await test(own, strict.admin)).toMatchObject({ ok: true });
        // Whoever leaves the address alone changes nothing about it.
        await change(own, second, { baseUrl: server.url, contextWindow: 64_000 });
        expect(await test(own, second)).toMatchObject({ ok: true });
        expect(server.requests).toHaveLength(2);

        const foreign = await make(strict.outsider, server.url);
        const blocked = await test(foreign, strict.outsider);
        expect(blocked.ok).toBe(false);
        const nobody = await make(strict.outsider, 'http://127.0.0.1:9/v1');
        expect(await test(nobody, strict.outsider)).toEqual(blocked);
        const call = { model: foreign.name, messages: [{ role: 'user', content: 'Hi' }] };
        const relayed = await strict.request('POST', '/models/v1/chat/completions', {
          as: strict.outsider,
          body: call,
        });
        expect(relayed).toMatchObject({ status: 503, body: { error: { code: 'upstream_unreachable' } } });

        const moved = server.url.replace('127.0.0.1', 'localhost');
        await change(own, second, { baseUrl: moved });
        expect(await test(own, second)).toEqual(blocked);
        expect(server.requests).toHaveLength(2);
        // The same address, sent by one who may.
        await change(own, strict.admin, { baseUrl: moved });
        expect(await test(own, second)).toMatchObject({ ok: true });
      } finally {
        await strict.close();
        await server.close();
      }
    },
  );
});

describe('resolving', () => {
  verifies('models.resolve', 'finds a model by its name as the catalog is now', async () => {
    const catalog = app.get(CatalogService);
    const { spaceId } = app.admin;
    const { id, name } = await made({ upstreamModel: 'up', price: { inputPerMillion: 2.5 } });
    const first = await catalog.resolve(spaceId, name);
    expect(first).toMatchObject({
      name,
      upstreamModel: 'up',
      contextWindow: 128_000,
      maxOutputTokens: 4096,
      price: { inputPerMillion: 2.5, outputPerMillion: null, cachedInputPerMillion: null },
      standIn: false,
    });
    expect((await catalog.resolve(spaceId, name)).provider).toBe(first.provider);
    await app.request('PATCH', `/api/models/${id}`, { body: { apiKey: 'k' } });
    expect((await catalog.resolve(spaceId, name)).provider).not.toBe(first.provider);
    await app.request('DELETE', `/api/models/${id}`);
    await expect(catalog.resolve(spaceId, name)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      message: expect.stringContaining(name),
    });
  });

  verifies('models.resolve', 'does not look into other spaces', async () => {
    const { name } = await made({}, app.outsider);
    expect(await app.get(CatalogService).find(app.admin.spaceId, name)).toBeNull();
  });

  verifies('models.offline', 'finds the offline model in every space', async () => {
    const model = await app.get(CatalogService).resolve(app.outsider.spaceId, 'platform/offline');
    expect(model).toMatchObject({ name: 'platform/offline', standIn: false, contextWindow: 32_768 });
  });

  verifies('models.standin', 'has no stand-in unless the installation is embedded', async () => {
    const as = await app.addUser('ADMIN', null);
    expect(await app.get(CatalogService).find(as.spaceId, 'gpt-x')).toBeNull();
  });
});

describe('an embedded installation', () => {
  const agent = { name: 'A', model: 'gpt-x', systemPrompt: 'Hi' };

  verifies('models.standin', 'uses the offline model until there is another', async () => {
    const embedded = await TestApp.start({ env: { PLATFORM_EMBEDDED: 'true' } });
    try {
      const { spaceId } = embedded.admin;
      const catalog = embedded.get(CatalogService);
      const made = await embedded.request<Agent>('POST', '/api/agents', { body: agent });
      expect(made.body.modelStatus).toBe('ready');
      expect(await catalog.resolve(spaceId, 'gpt-x')).toMatchObject({
        name: 'platform/offline',
        standIn: true,
      });

      const body = { name: 'other', baseUrl: BASE_URL };
      const { body: other } = await embedded.request<Model>('POST', '/api/models', { body });
      const now = () => embedded.request<Agent>('GET', `/api/agents/${made.body.id}`);
      expect((await now()).body.modelStatus).toBe('unknown');
      await expect(catalog.resolve(spaceId, 'gpt-x')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

      await embedded.request('DELETE', `/api/models/${other.id}`);
      expect((await now()).body.modelStatus).toBe('ready');
    } finally {
      await embedded.close();
    }
  });

  verifies(
    ['models.standin', 'models.environment'],
    'has none where PLATFORM_OFFLINE_STANDIN is off, and takes its model from the environment',
    async () => {
      const env = {
        PLATFORM_EMBEDDED: 'true',
        PLATFORM_OFFLINE_STANDIN: 'false',
        OPENAI_API_KEY: CANARY,
        OPENAI_BASE_URL: BASE_URL,
        OPENAI_MODEL: 'gpt-env',
      };
      const embedded = await TestApp.start({ env });
      try {
        const { spaceId } = embedded.admin;
        const made = await embedded.request<Agent>('POST', '/api/agents', { body: agent });
        expect(made.body.modelStatus).toBe('unknown');

        const models = embedded.get(ModelsService);
        const ensure = () =>
          embedded.get(DataSource).transaction((tx) => models.ensureModelFromEnvironment(tx, spaceId));
        await ensure();
        await ensure();
        const { body } = await embedded.request<Page<Model>>('GET', '/api/models');
        expect(body.items.map(({ name }) => name)).toEqual(['gpt-env', 'platform/offline']);
        expect(body.items[0]).toMatchObject({ baseUrl: BASE_URL, apiKeyConfigured: true });
      } finally {
        await embedded.close();
      }
    },
  );
});
