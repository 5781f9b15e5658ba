import type { KnowledgeSettings, SpaceStorage } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { conceptEmbedder } from './fixtures/concept-embedding.ts';
import {
  startOpenAiServer,
  type FakeOpenAiServer,
  type FakeServerOptions,
} from './fixtures/openai-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { verifies } from './verifies.ts';

const embed = conceptEmbedder([
  ['cat', 'kitten', 'feline', '猫'],
  ['pay back', 'refund', 'money back', '退款'],
  ['car', 'vehicle', 'automobile', '汽车'],
  ['doctor', 'physician', '医生'],
]);

let app: TestApp;
let server: FakeOpenAiServer;
/** What the model server does with its next calls; null: it answers. */
let behave: NonNullable<FakeServerOptions['calls']> = () => null;

beforeAll(async () => {
  server = await startOpenAiServer({
    calls: (body) => behave(body) ?? ('input' in body ? { kind: 'json', body: vectorsFor(body) } : null),
  });
  app = await TestApp.start();
  await Promise.all([addModels(app.admin), addModels(app.outsider)]);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
afterEach(async () => {
  behave = () => null;
  disarmFailpoints();
});

function vectorsFor({ input, dimensions }: Record<string, unknown>): object {
  const texts = input as string[];
  const data = texts.map((text, index) => {
    const vector = embed(text).slice(0, (dimensions as number | undefined) ?? undefined);
    return { object: 'embedding', index, embedding: vector };
  });
  return { data, usage: { prompt_tokens: texts.length * 7, total_tokens: texts.length * 7 } };
}

async function addModels(user: TestUser): Promise<void> {
  const { models } = app.client(user);
  const price = { inputPerMillion: 1 };
  await models.create({ name: 'meanings', kind: 'embedding', baseUrl: server.url, price });
  await models.create({ name: 'others', kind: 'embedding', baseUrl: server.url });
  await models.create({ name: 'ranker', kind: 'rerank', baseUrl: server.url });
  await models.create({ name: 'chatter', baseUrl: server.url });
}

async function addTexts(texts: Record<string, string>, user: TestUser = app.admin): Promise<string[]> {
  const { knowledge } = app.client(user);
  const made = await Promise.all(
    Object.entries(texts).map(([title, text]) => knowledge.createDocument({ title, text })),
  );
  await eventually(async () => {
    for (const { id } of made) expect((await knowledge.getDocument(id)).status).toBe('READY');
  });
  return made.map(({ id }) => id);
}

/** Waits until the chosen model serves, and has no work left. */
function complete(user: TestUser = app.admin): Promise<KnowledgeSettings> {
  return eventually(async () => {
    const settings = await app.client(user).knowledge.getSettings();
    const { embedding } = settings;
    expect(embedding).toMatchObject({ status: 'READY', embedded: embedding?.passages });
    return settings;
  });
}

async function choose(embeddingModel: string | null, user: TestUser = app.admin): Promise<KnowledgeSettings> {
  await app.client(user).knowledge.updateSettings({ embeddingModel });
  return embeddingModel === null ? app.client(user).knowledge.getSettings() : complete(user);
}

const search = (query: string, user: TestUser = app.admin) => app.client(user).knowledge.search({ query });
const titles = async (query: string, user: TestUser = app.admin) =>
  (await search(query, user)).documents.map(({ title }) => title);
const counts = async (spaceId: string) =>
  (
    await app.sql<{ codes: number; vectors: number; versions: number; doubled: number }>(
      `select count(c.n)::int as codes, count(v.n)::int as vectors, count(distinct e.id)::int as versions
       from knowledge_embedding e left join knowledge_code c on c.embedding_id = e.id
         left join knowledge_vector v using (embedding_id, document_id, n)
       where e.space_id = $1`,
      [spaceId],
    )
  )[0];

describe('the meaning of passages', () => {
  verifies(
    'knowledge.meaning',
    'is searched beside their words as soon as the vectors are complete',
    async () => {
      await addTexts({
        Felines: 'A feline sleeps all day.',
        Money: 'We give your money back.',
        Cars: 'A car has wheels.',
      });
      const before = await search('kitten');
      expect([before.layers, before.documents.map(({ title }) => title)]).not.toContainEqual('Felines');
      expect(before.layers).toEqual(['words']);
      const { embedding, serving } = await choose('meanings');
      expect(embedding).toMatchObject({
        model: 'meanings',
        dimensions: 1_024,
        knowsMeaning: true,
        error: null,
        skipped: 0,
      });
      expect(serving).toEqual(embedding);
      const found = await search('kitten');
      expect(found.documents[0]?.title).toBe('Felines');
      expect([found.layers, found.notices]).toEqual([['meaning'], []]);
      expect((await titles('退款'))[0]).toBe('Money');
      // Words and meaning together.
      expect((await search('wheels of a vehicle')).layers).toEqual(['words', 'meaning']);
      // A document that comes later is found as well.
      await addTexts({ Health: 'The physician is in room 7.' });
      await complete();
      expect((await titles('doctor'))[0]).toBe('Health');
    },
  );

  verifies(
    'knowledge.meaning-charges',
    'costs tokens: of passages for the one who chose, of queries for the one who asks',
    async () => {
      await choose('meanings');
      await search('A question of the member', app.member);
      const entries = await app.client().usage.entries({ source: 'knowledge', limit: 100 });
      const of = (userId: string) => entries.items.filter((entry) => entry.user?.id === userId);
      expect(of(app.member.userId)).toMatchObject([
        { model: 'meanings', promptTokens: 7, cost: 0.000007, estimated: false },
      ]);
      expect(of(app.admin.userId).some(({ promptTokens }) => promptTokens > 7)).toBe(true);
      expect(await app.sql('select 1 from usage_reservation where source = $1', ['knowledge'])).toEqual([]);
    },
  );

  verifies('knowledge.meaning-charges', 'costs nothing if its call was registered but not made', async () => {
    await choose('meanings');
    const commits = new LostCommits(app.get(DataSource));
    try {
      commits.next(/usage_reservation/);
      await search('Lost in between').catch(() => undefined);
      expect(commits.lost).toBe(1);
    } finally {
      commits.restore();
    }
    await eventually(async () =>
      expect(await app.sql('select 1 from usage_reservation where source = $1', ['knowledge'])).toEqual([]),
    );
  });

  verifies(
    'knowledge.meaning-fallback',
    'is left out when the model fails, and the result says so',
    async () => {
      await choose('meanings', app.outsider);
      await addTexts({ Rivers: 'Rivers flow to the sea.' }, app.outsider);
      await complete(app.outsider);
      behave = () => ({ kind: 'status', status: 503 });
      const failed = await search('rivers', app.outsider);
      expect([failed.layers, failed.documents.map(({ title }) => title)]).toEqual([['words'], ['Rivers']]);
      expect(failed.notices).toEqual(["The meaning was not searched: The model's server failed (HTTP 503)"]);
      // The next searches do not wait for it.
      behave = () => null;
      const calls = server.requests.length;
      expect((await search('rivers', app.outsider)).notices).toEqual(failed.notices);
      expect(server.requests).toHaveLength(calls);
    },
  );

  verifies(
    'knowledge.meaning-fallback',
    'is left out of the search whose query the model refuses, and of no other',
    async () => {
      await choose('meanings');
      behave = ({ input }) =>
        (input as string[]).includes('too long for the model') ? { kind: 'status', status: 400 } : null;
      expect((await search('too long for the model')).notices).toHaveLength(1);
      expect(await search('kitten')).toMatchObject({ layers: ['meaning'], notices: [] });
    },
  );

  verifies('knowledge.meaning-fallback', 'is left out when the model takes too long', async () => {
    await choose('meanings');
    behave = () => ({ kind: 'hang' });
    // The model would never respond.
    const slow = await search('car');
    expect([slow.layers, slow.documents.map(({ title }) => title)]).toEqual([['words'], ['Cars']]);
    expect(slow.notices).toEqual(['The meaning was not searched: meanings did not respond in time']);
    expect(await app.sql('select 1 from usage_reservation where source = $1', ['knowledge'])).toEqual([]);
  });

  verifies('knowledge.meaning-deletion', 'is deleted with the document', async () => {
    await choose('others');
    const [id = ''] = await addTexts({ Gone: 'This feline will be gone.' });
    await complete();
    const rows = () =>
      app.sql(
        `select 1 from knowledge_code where document_id = $1 union all select 1 from knowledge_vector where document_id = $1
         union all select 1 from knowledge_embedding_work where document_id = $1`,
        [id],
      );
    expect(await rows()).toHaveLength(2);
    expect(await titles('kitten')).toContain('Gone');
    await app.client().knowledge.deleteDocument(id);
    expect(await rows()).toEqual([]);
    expect(await titles('kitten')).not.toContain('Gone');
  });

  verifies('knowledge.meaning-storage', 'takes bytes that the storage of the space shows', async () => {
    await choose('others');
    const { spaceId } = app.admin;
    const { body } = await app.request<SpaceStorage>('GET', '/api/storage');
    const knowledge = body.items.find(({ kind }) => kind === 'KNOWLEDGE');
    const vectors = knowledge?.tables.find(({ name }) => name === 'vectors');
    const { codes } = (await counts(spaceId)) ?? { codes: 0 };
    expect(vectors).toMatchObject({ count: codes, bytes: codes * (1_024 + 128) });
  });
});

describe('a version of the vectors', () => {
  verifies(
    'knowledge.meaning-versions',
    'serves until the next one is complete, and is then removed',
    async () => {
      const first = await choose('meanings');
      behave = ({ model }) => (model === 'others' ? { kind: 'status', status: 500 } : null);
      await app.client().knowledge.updateSettings({ embeddingModel: 'others', embeddingDimensions: 256 });
      const building = await eventually(async () => {
        const settings = await app.client().knowledge.getSettings();
        expect(settings.embedding).toMatchObject({
          model: 'others',
          status: 'BUILDING',
          askedDimensions: 256,
        });
        expect(settings.embedding?.error).toBe("The model's server failed (HTTP 500).");
        expect(settings.embedding?.retryAt).not.toBeNull();
        return settings;
      });
      expect(building.serving?.id).toBe(first.serving?.id);
      expect((await titles('kitten'))[0]).toBe('Felines');
      behave = () => null;
      const done = await complete();
      expect(done.serving).toMatchObject({ model: 'others', dimensions: 256 });
      expect((await titles('kitten'))[0]).toBe('Felines');
      await eventually(async () => expect((await counts(app.admin.spaceId))?.versions).toBe(1));
      const left = await app.sql('select 1 from knowledge_code where embedding_id = $1', [first.serving?.id]);
      expect(left).toEqual([]);
    },
  );

  verifies(
    'knowledge.meaning-versions',
    'is not begun again for the same model, but on request',
    async () => {
      const { serving } = await choose('meanings');
      expect((await choose('meanings')).serving?.id).toBe(serving?.id);
      await app.client().knowledge.updateSettings({ rebuild: true });
      const rebuilt = await complete();
      expect(rebuilt.serving?.id).not.toBe(serving?.id);
      expect(rebuilt.serving?.model).toBe('meanings');
    },
  );

  verifies(
    'knowledge.meaning-versions',
    'is not compared with what another model makes, though it has the same name',
    async () => {
      await choose('meanings');
      const { models, knowledge } = app.client();
      const { items } = await models.list();
      const { id = '' } = items.find(({ name }) => name === 'meanings') ?? {};
      await models.update(id, { upstreamModel: 'another' });
      const { layers, notices } = await search('kitten');
      expect(layers).toEqual(['words']);
      expect(notices).toEqual([
        'The meaning was not searched: Model meanings is now another instead of meanings; build the vectors again',
      ]);
      await knowledge.updateSettings({ rebuild: true });
      await complete();
      expect((await search('kitten')).layers).toEqual(['meaning']);
      await models.update(id, { upstreamModel: 'meanings' });
      await choose(null);
    },
  );

  verifies('knowledge.meaning-versions', 'is removed when the space chooses words only', async () => {
    await choose('meanings');
    expect(await choose(null)).toMatchObject({ embedding: null, serving: null });
    expect((await search('car')).layers).toEqual(['words']);
    await eventually(async () => expect((await counts(app.admin.spaceId))?.versions).toBe(0));
  });

  verifies('knowledge.meaning-poison', 'does without a passage that the model refuses', async () => {
    behave = ({ input }) =>
      (input as string[] | undefined)?.some((text) => text.includes('poison'))
        ? { kind: 'status', status: 400, message: 'This text cannot be read' }
        : null;
    await addTexts({ Poison: 'This is poison.', Kitten: 'A kitten of the other space.' }, app.outsider);
    await app.client(app.outsider).knowledge.updateSettings({ embeddingModel: 'others' });
    const { embedding } = await eventually(async () => {
      const settings = await app.client(app.outsider).knowledge.getSettings();
      expect(settings.embedding).toMatchObject({ status: 'READY', model: 'others', skipped: 1 });
      return settings;
    });
    expect(embedding?.embedded).toBe((embedding?.passages ?? 0) - 1);
    expect((await titles('猫', app.outsider))[0]).toBe('Kitten');
  });

  verifies(
    'knowledge.meaning-poison',
    'does without a passage for which the server fails each time, as some do for vectors that are no numbers',
    async () => {
      await choose(null);
      await addTexts({ Venom: 'This is venom.', Sparrow: 'A sparrow sings.' });
      behave = ({ input }) =>
        (input as string[] | undefined)?.some((text) => text.includes('venom'))
          ? { kind: 'status', status: 500 }
          : null;
      await app.client().knowledge.updateSettings({ embeddingModel: 'others' });
      const { embedding } = await eventually(async () => {
        // Without the pauses between the attempts.
        await app.sql('update knowledge_embedding set due_at = clock_timestamp() where error is not null');
        const settings = await app.client().knowledge.getSettings();
        expect(settings.embedding).toMatchObject({ status: 'READY', model: 'others', skipped: 1 });
        return settings;
      });
      expect(embedding?.embedded).toBe((embedding?.passages ?? 0) - 1);
      await choose(null);
    },
  );

  verifies('knowledge.meaning-recovery', 'is complete and single after failures at every point', async () => {
    await choose(null);
    armFailpoints(['knowledge.embedded:throw@1', 'knowledge.vectors-stored:throw@1']);
    await addTexts({ Whales: 'Whales sing.', Bees: 'Bees dance.' });
    const { embedding } = await choose('meanings');
    expect(await counts(app.admin.spaceId)).toMatchObject({
      codes: embedding?.passages,
      vectors: embedding?.passages,
    });
  });
});

describe('the settings', () => {
  verifies(
    'knowledge.settings',
    'are read by members, changed by admins, and name models of the right kind',
    async () => {
      const patch = (body: object, as = app.admin) =>
        app.request('PATCH', '/api/knowledge/settings', { as, body });
      expect((await patch({ rewritesQuestions: true }, app.member)).status).toBe(403);
      expect((await app.request('GET', '/api/knowledge/settings', { as: app.member })).status).toBe(200);
      const problem = async (body: object) => {
        const { status, body: answer } = await patch(body);
        return [status, answer.message];
      };
      expect(await problem({ embeddingModel: 'none' })).toEqual([
        400,
        'embeddingModel must be a model of the catalog',
      ]);
      expect(await problem({ embeddingModel: 'chatter' })).toEqual([
        400,
        'embeddingModel must be a model for embeddings: chatter is one for chats',
      ]);
      expect(await problem({ rerankModel: 'meanings' })).toEqual([
        400,
        'rerankModel must be a model for ranking: meanings is one for embeddings',
      ]);
      await choose(null);
      expect(await problem({ embeddingDimensions: 3 })).toEqual([400, 'embeddingModel must be chosen first']);
      expect((await patch({ rerankModel: 'ranker', rewritesQuestions: true })).body).toMatchObject({
        embedding: null,
        rerankModel: 'ranker',
        rewritesQuestions: true,
      });
      expect((await patch({ rerankModel: null, rewritesQuestions: false })).body).toMatchObject({
        rerankModel: null,
        rewritesQuestions: false,
      });
    },
  );

  verifies('knowledge.settings', 'say that the offline model knows no meaning', async () => {
    const { embedding } = await choose('platform/offline');
    expect(embedding).toMatchObject({ model: 'platform/offline', dimensions: 256, knowsMeaning: false });
    await choose(null);
  });
});

describe('ranking again', () => {
  verifies('knowledge.rerank', 'keeps what the model is not asked about, behind the rest', async () => {
    const sections = Array.from({ length: 50 }, (_, n) => `Turbine ${n} spins in the wind. `.repeat(50));
    await addTexts({ Turbines: sections.join('\n\n') });
    const { knowledge } = app.client();
    await knowledge.updateSettings({ rerankModel: 'ranker' });
    const { documents, layers } = await knowledge.search({ query: 'turbine wind', topK: 50 });
    expect([layers, documents.length]).toEqual([['words', 'rerank'], 50]);
    const scores = documents.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    await knowledge.updateSettings({ rerankModel: null });
  });

  verifies('knowledge.rerank', 'puts first what the model says, and is left out when it fails', async () => {
    await addTexts({
      Once: 'Lanterns are made of paper. '.repeat(6),
      Both: 'Paper is folded. Festivals have lanterns, and a parade of lanterns.',
    });
    const { knowledge } = app.client();
    await knowledge.updateSettings({ rerankModel: 'ranker' });
    const query = 'lanterns paper parade';
    const found = await search(query);
    expect([found.layers, found.documents[0]?.title, found.documents[0]?.score]).toEqual([
      ['words', 'rerank'],
      'Both',
      1,
    ]);
    behave = () => ({ kind: 'status', status: 429 });
    const failed = await search(query);
    expect(failed.layers).toEqual(['words']);
    expect(failed.notices).toEqual([
      "The result was not ranked again: The model's server has too many requests right now",
    ]);
    expect(failed.documents.map(({ title }) => title)).toContain('Both');
    await knowledge.updateSettings({ rerankModel: null });
  });
});

describe('the vectors of other spaces', () => {
  verifies('knowledge.meaning-fair', 'are made while the server of a space does not respond', async () => {
    await choose(null);
    const { knowledge } = app.client(app.outsider);
    await choose('meanings', app.outsider);
    behave = ({ input }) =>
      (input as string[]).some((text) => text.includes('stuck')) ? { kind: 'hang' } : null;
    const calls = server.requests.length;
    await addTexts({ Stuck: 'This is stuck.' }, app.outsider);
    // Each time, the version before is given up, and its call still waits.
    for (let i = 0; i < 8; i++) {
      await knowledge.updateSettings({ embeddingModel: 'others', rebuild: true });
      await eventually(async () => expect(server.requests.length).toBeGreaterThan(calls + Math.min(i, 1)));
    }
    await choose('meanings');
  });
});
