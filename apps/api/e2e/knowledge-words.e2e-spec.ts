import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { spaceTag } from '../src/knowledge/documents/space-tag.ts';
import { TERMS_VERSION } from '../src/knowledge/extraction/terms.ts';
import { KnowledgeSearchService } from '../src/knowledge/search/knowledge-search.service.ts';
import { countHits, documents } from './fixtures/knowledge/question-set.ts';
import { AgentCalls, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
afterEach(() => disarmFailpoints());

async function versionOf(id: string): Promise<number | undefined> {
  const [row] = await app.sql<{ version: number }>(
    'select terms_version as version from knowledge_document where id = $1',
    [id],
  );
  return row?.version;
}

async function addAll(texts: readonly { title: string; text: string }[]): Promise<void> {
  for (const document of texts) await app.client().knowledge.createDocument(document);
  await eventually(async () => {
    const [waiting] = await app.sql<{ count: number }>(
      `select count(*)::int as count from knowledge_document where status <> 'READY'`,
    );
    expect(waiting?.count).toBe(0);
  });
}

describe('the words of questions', () => {
  verifies('knowledge.words', 'find their documents among the first three', async () => {
    await addAll(documents);
    const { spaceId, userId } = app.admin;
    const hits = await countHits(async (question) => {
      const { passages } = await app.get(KnowledgeSearchService).search({ spaceId, userId }, question, 3);
      return passages.map(({ title }) => title);
    });
    for (const kind of ['same', 'forms', 'typos', 'traditional', 'questions'] as const) {
      const { found, total, missed } = hits[kind];
      expect([kind, found / total >= 0.95, missed]).toEqual([kind, true, expect.any(Array)]);
    }
  });

  verifies(
    'knowledge.words',
    'with a typo find passages, whether or not the others are in most of them',
    async () => {
      const client = app.client().knowledge;
      await addAll([
        { title: 'Sightings', text: 'A quokka was seen.' },
        { title: 'Nests', text: 'A quokka and a bilby share their nest.' },
      ]);
      // More passages than are read for one word.
      await app.sql(
        `insert into knowledge_chunk (document_id, n, space_id, heading, text, terms)
         select document_id, 1 + more, chunk.space_id, heading, text, terms
         from knowledge_chunk chunk join knowledge_document on id = document_id, generate_series(1, 1200) more
         where title = 'Sightings'`,
      );
      const titles = async (query: string) => {
        const { documents: passages, closest } = await client.search({ query, topK: 3 });
        return [passages.map(({ title }) => title), closest];
      };
      expect(await titles('quokka bilbyy')).toEqual([['Nests'], undefined]);
      expect(await titles('quokka zyxomma')).toEqual([['Nests', 'Sightings', 'Sightings'], undefined]);
    },
  );

  verifies(
    'knowledge.closest',
    'that nothing contains find the closest passages, marked as such',
    async () => {
      const client = app.client().knowledge;
      const found = await client.search({ query: 'browserslist', topK: 1 });
      expect(found).toMatchObject({ closest: true, documents: [{ title: 'Supported browsers' }] });
      expect(await client.search({ query: 'browser', topK: 1 })).not.toHaveProperty('closest');
      const none = await client.search({ query: 'zyxomma' });
      expect([none.documents, 'closest' in none]).toEqual([[], false]);

      const agent = await AgentCalls.make(app, null);
      const inputs = { query: 'browserslist', context: true };
      const { text } = await agent.request('POST', '/execute', {
        body: { inputs, stream: true },
        headers: STREAMED,
      });
      expect(text).toContain('"closest":true');
      const [step] = await app.sql<{ content: string }>(
        `select content::text as content from turn_step where kind = 'evidence'`,
      );
      expect(step?.content).toContain('"closest":true');
    },
  );

  verifies('knowledge.words', 'of an execution with context: true find passages', async () => {
    const agent = await AgentCalls.make(app, null);
    for (const [query, title] of [
      [
        'Hi! Could you please tell me for how long we keep the backups of our databases?',
        'Backups of the database',
      ],
      ["What's the maximum you'd reimburse me for hotels?", 'Travel expenses'],
      ['請問退款多久會到帳？', '退款政策'],
    ]) {
      const body = { inputs: { query, context: true }, stream: true };
      const { text } = await agent.request('POST', '/execute', { body, headers: STREAMED });
      expect(text).toMatch(/^data: .*knowledge-evidence/m);
      expect(text).toContain(`"title":"${title}"`);
    }
  });

  verifies(
    'knowledge.terms',
    'are made again for documents that have old ones, which serve until then',
    async () => {
      const client = app.client().knowledge;
      const { id } = await client.createDocument({
        title: 'Numbats',
        text: 'Numbats were seen eating termites.',
      });
      const indexed = () => eventually(async () => expect(await versionOf(id)).toBe(TERMS_VERSION));
      await indexed();
      const old = 'numbats were seen eating termites'
        .split(' ')
        .map((term) => `${spaceTag(app.admin.spaceId)}${term}`);
      // A worker that has died holds it, until its lease ends.
      await app.sql(`update knowledge_chunk set terms = array_to_tsvector($2) where document_id = $1`, [
        id,
        old,
      ]);
      await app.sql(
        `update knowledge_document set terms_version = 1, lease_until = clock_timestamp() + interval '1 h' where id = $1`,
        [id],
      );
      const found = async (query: string) => {
        const { documents: passages, closest } = await client.search({ query });
        return closest === true ? [] : passages.map(({ title }) => title);
      };
      expect(await found('Numbats')).toEqual(['Numbats']);
      // An interruption loses nothing: the next worker begins anew.
      armFailpoints(['knowledge.terms:throw@1']);
      const released = `update knowledge_document set lease_until = null where id = $1`;
      await app.sql(released, [id]);
      await eventually(async () => {
        const [row] = await app.sql<{ held: boolean }>(
          'select lease_until is not null as held from knowledge_document where id = $1',
          [id],
        );
        expect(row?.held).toBe(true);
      });
      expect(await found('Numbats')).toEqual(['Numbats']);
      expect(await versionOf(id)).toBe(1);
      disarmFailpoints();
      await app.sql(released, [id]);
      await indexed();
      expect(await found('eat')).toEqual(['Numbats']);
      expect(await client.getDocument(id)).toMatchObject({ status: 'READY', chunks: 1 });
    },
  );
});
