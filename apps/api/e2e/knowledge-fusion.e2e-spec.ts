import { DataSource } from 'typeorm';
import { loadSearchSettings } from '../src/knowledge/meaning/embeddings.store.ts';
import { MeaningSearchService } from '../src/knowledge/meaning/meaning-search.service.ts';
import { loadTexts } from '../src/knowledge/meaning/vectors.store.ts';
import { KnowledgeSearchService } from '../src/knowledge/search/knowledge-search.service.ts';
import { searchWords } from '../src/knowledge/search/words-search.ts';
import { conceptEmbedder } from './fixtures/concept-embedding.ts';
import { CONCEPTS } from './fixtures/knowledge/concepts.ts';
import { countHits, documents, questions } from './fixtures/knowledge/question-set.ts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let server: FakeOpenAiServer;

beforeAll(async () => {
  const embed = conceptEmbedder(CONCEPTS);
  server = await startOpenAiServer({
    calls: ({ input }) => ({
      kind: 'json',
      body: { data: (input as string[]).map((text, index) => ({ index, embedding: embed(text) })) },
    }),
  });
  app = await TestApp.start();
});
afterAll(async () => {
  await app.close();
  await server.close();
});

/** 1 / the rank of the document that answers, on average over all questions. */
async function reciprocalRank(search: (question: string) => Promise<string[]>): Promise<number> {
  let sum = 0;
  for (const { question, expected } of questions) {
    const at = (await search(question)).indexOf(expected);
    if (at >= 0) sum += 1 / (at + 1);
  }
  return sum / questions.length;
}

verifies('knowledge.fusion', 'finds more than its halves, among the first three and by rank', async () => {
  const { knowledge, models } = app.client();
  await models.create({ name: 'concepts', kind: 'embedding', baseUrl: server.url });
  for (const document of documents) await knowledge.createDocument(document);
  await knowledge.updateSettings({ embeddingModel: 'concepts' });
  await eventually(async () => {
    const { embedding } = await knowledge.getSettings();
    expect(embedding).toMatchObject({ status: 'READY', embedded: embedding?.passages });
    expect(embedding?.passages).toBeGreaterThanOrEqual(documents.length);
  });

  const { spaceId, userId } = app.admin;
  const payer = { spaceId, userId };
  const sql = app.get(DataSource);
  const { serving } = await loadSearchSettings(sql, spaceId);
  if (serving === null) throw new Error('No vectors serve');
  const searches = {
    words: async (question: string) => {
      const { chunks, isClosest } = await searchWords(sql, spaceId, question, 10);
      return isClosest ? [] : chunks.map(({ title }) => title);
    },
    meaning: async (question: string) => {
      const { result } = await app.get(MeaningSearchService).near(payer, serving, question, 10);
      const near = result ?? [];
      const texts = await loadTexts(sql, spaceId, near);
      return near.map(({ documentId }) => texts.find((text) => text.documentId === documentId)?.title ?? '');
    },
    fusion: async (question: string) => {
      const { passages } = await app.get(KnowledgeSearchService).search(payer, question, 10);
      return passages.map(({ title }) => title);
    },
  };
  const outcome = async (search: (question: string) => Promise<string[]>) => {
    const hits = await countHits(search);
    const found = Object.values(hits).reduce((sum, kind) => sum + kind.found, 0);
    return { found, rank: await reciprocalRank(search) };
  };
  const [words, meaning, fusion] = [
    await outcome(searches.words),
    await outcome(searches.meaning),
    await outcome(searches.fusion),
  ];
  expect(fusion.found).toBeGreaterThan(words.found);
  expect(fusion.found).toBeGreaterThan(meaning.found);
  expect(fusion.rank).toBeGreaterThan(words.rank);
  expect(fusion.rank).toBeGreaterThan(meaning.rank);
});
