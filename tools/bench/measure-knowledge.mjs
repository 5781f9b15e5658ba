// The hits of a set of questions for each layer and for two other searches, and the time of a search in a large space while
// another space has documents read. Another layer is one more entry of `searches`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import MiniSearch from 'minisearch';
import pg from 'pg';
import { conceptEmbedder } from '../../apps/api/e2e/fixtures/concept-embedding.ts';
import { CONCEPTS } from '../../apps/api/e2e/fixtures/knowledge/concepts.ts';
import { countHits, documents, QUESTION_KINDS } from '../../apps/api/e2e/fixtures/knowledge/question-set.ts';
import { spaceTag } from '../../apps/api/src/knowledge/documents/space-tag.ts';
import { indexTerms } from '../../apps/api/src/knowledge/extraction/terms.ts';
import { cleanUp, runBench, temporaryPlace } from './bench.mjs';
import { quantile } from './clock.mjs';
import { startAlone } from './service.mjs';
import { printHits, printSearches } from './table.mjs';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const PASSAGES = values.quick ? 10_000 : 100_000;
const UPLOADS = values.quick ? 1_000 : 10_000;
const CALLS = values.quick ? 200 : 1_000;
const TURNS = values.quick ? 100 : 300;
const BATCH = 1_000;
const READ_MS = 1_800_000;

await runBench(bench);

async function bench() {
  const place = await temporaryPlace();
  const client = new pg.Client({ connectionString: place.databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  console.error('Starting the service …');
  const { as, apiKey, signIn, url } = await startAlone({ ...place, env: { PLATFORM_RATE_LIMIT: '1000000' } });
  const call = as(apiKey);
  const { spaceId } = (await call('/api/knowledge/documents', documents[0])) ?? {};
  for (const document of documents.slice(1)) await call('/api/knowledge/documents', document);
  await allRead(client);

  const titlesOf = async (query, topK) =>
    (await call('/api/knowledge/search', { query, topK })).documents.map(({ title }) => title);
  const searches = {
    words: (query) => titlesOf(query, 3),
    tsvector: await textSearch(client),
    mini: miniSearch(),
  };
  const hits = {};
  for (const [name, search] of Object.entries(searches)) hits[name] = await countHits(search);
  const embed = conceptEmbedder(CONCEPTS);
  await call('/api/models', { name: 'thesaurus', kind: 'embedding', baseUrl: await serveVectors(embed) });
  const choose = (embeddingModel) => changeSettings({ url, apiKey }, { embeddingModel });
  await choose('thesaurus');
  await allEmbedded(call);
  const [meaning, fusion] = [await countHits(nearest(embed)), await countHits(searches.words)];
  await choose(null);
  printHits({
    hits: { words: hits.words, meaning, fusion, tsvector: hits.tsvector, mini: hits.mini },
    kinds: QUESTION_KINDS,
  });
  console.log(
    '  meaning and fusion: with a thesaurus made by hand for these documents, which is no real model',
  );
  for (const kind of QUESTION_KINDS)
    for (const { question, expected } of hits.words[kind].missed)
      console.log(`  missed by words, ${kind}: ${question} → ${expected}`);

  await fill(client, spaceId);
  const search = (query) => call('/api/knowledge/search', { query, topK: 5 });
  const { id: agentId } = await call('/api/agents', {
    name: 'Bench',
    model: 'platform/offline',
    systemPrompt: 'Be brief.',
  });
  const chat = () => call(`/api/agents/${agentId}/execute`, { inputs: { query: 'Hello' } });
  await timed(50, chat);
  const alone = { search: await measure(search), chat: await timed(TURNS, chat) };
  const other = await (await signIn())('/api/spaces', { name: 'Noise' });
  await upload(client, other.id);
  const beside = { search: await measure(search), chat: await timed(TURNS, chat) };
  const { rows } = await client.query(
    `select count(*)::int as left from knowledge_document where status = 'PROCESSING'`,
  );
  await client.end();
  const { left } = rows[0];
  printSearches({ alone, beside, passages: PASSAGES, uploads: UPLOADS, calls: CALLS, turns: TURNS, left });
}

async function allRead(client) {
  for (const deadline = Date.now() + READ_MS; ; await sleep(100)) {
    const { rows } = await client.query(
      `select count(*)::int as left from knowledge_document where status = 'PROCESSING'`,
    );
    if (rows[0].left === 0) return;
    if (Date.now() > deadline) throw new Error('The documents are not read');
  }
}

async function allEmbedded(call) {
  for (const deadline = Date.now() + READ_MS; ; await sleep(100)) {
    const { embedding } = await call('/api/knowledge/settings');
    if (embedding.status === 'READY' && embedding.embedded === embedding.passages) return;
    if (Date.now() > deadline) throw new Error(`The vectors are not made: ${embedding.error}`);
  }
}

async function changeSettings({ url, apiKey }, settings) {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` };
  const body = JSON.stringify(settings);
  const res = await fetch(`${url}/api/knowledge/settings`, { method: 'PATCH', headers, body });
  if (!res.ok) throw new Error(`The settings were refused: ${await res.text()}`);
}

/** Starts a server of embeddings. Returns its address. */
async function serveVectors(embed) {
  const server = createServer((req, res) => {
    void json(req).then(({ input }) => {
      const data = input.map((text, index) => ({ index, embedding: embed(text) }));
      res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ data }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => server.close());
  return `http://127.0.0.1:${server.address().port}/v1`;
}

/** The documents by the cosine of their vectors, which all have the length 1. */
function nearest(embed) {
  const vectors = documents.map(({ title, text }) => ({ title, vector: embed(`${title}\n${text}`) }));
  return (query) => {
    const asked = embed(query);
    return vectors
      .map(({ title, vector }) => ({
        title,
        score: vector.reduce((sum, value, i) => sum + value * asked[i], 0),
      }))
      .sort((a, b) => b.score - a.score)
      .map(({ title }) => title);
  };
}

/** PostgreSQL's own ranking, with any of the words of the question. */
async function textSearch(client) {
  await client.query('create table bench_document (title text, body tsvector)');
  for (const { title, text } of documents)
    await client.query(`insert into bench_document values ($1, to_tsvector('english', $1 || ' ' || $2))`, [
      title,
      text,
    ]);
  return async (query) => {
    const { rows } = await client.query(
      `select title from bench_document,
         (select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as query) asked
       where body @@ query order by ts_rank(body, query) desc limit 3`,
      [query],
    );
    return rows.map(({ title }) => title);
  };
}

/** With the typos that it can tolerate. */
function miniSearch() {
  const index = new MiniSearch({
    idField: 'title',
    fields: ['title', 'text'],
    searchOptions: { fuzzy: 0.2, prefix: true },
  });
  index.addAll(documents);
  return (query) => index.search(query).map(({ id }) => id);
}

/** A word of a vocabulary whose rank decides how often it occurs. */
function word(random) {
  return `term${Math.floor(50_000 ** random())}`;
}

function seeded(seed) {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

function textOf(random) {
  return Array.from({ length: 80 }, () => word(random)).join(' ');
}

async function fill(client, spaceId) {
  console.error(`${PASSAGES.toLocaleString('en')} passages …`);
  const random = seeded(1);
  const tag = spaceTag(spaceId);
  const { rows } = await client.query(
    `insert into knowledge_document (space_id, title, media_type, bytes, status, chunks, terms_version, created_by)
     select $1, 'Large ' || n, 'text/plain', 1, 'READY', $2, 2, id from platform_user, generate_series(1, $3) n
     where id = (select id from platform_user limit 1) returning id`,
    [spaceId, BATCH, PASSAGES / BATCH],
  );
  for (const { id } of rows) {
    const chunks = Array.from({ length: BATCH }, (_, i) => {
      const text = textOf(random);
      return { n: i + 1, text, terms: [...indexTerms(text)].map((term) => tag + term).join(' ') };
    });
    await client.query(
      `insert into knowledge_chunk (document_id, n, space_id, heading, text, terms)
       select $1, n, $2, '', text, array_to_tsvector(string_to_array(terms, ' '))
       from json_to_recordset($3::json) as chunk (n int, text text, terms text)`,
      [id, spaceId, JSON.stringify(chunks)],
    );
  }
  await client.query('analyze knowledge_chunk');
}

/** What uploads store. A worker reads it while the searches are measured. */
async function upload(client, spaceId) {
  const text = textOf(seeded(2));
  await client.query(
    `with document as (
       insert into knowledge_document (space_id, title, media_type, bytes, created_by)
       select $1, 'Upload ' || n, 'text/plain', 1, (select id from platform_user limit 1) from generate_series(1, $2) n
       returning id, space_id)
     insert into knowledge_source (document_id, space_id, data)
     select id, space_id, convert_to($3, 'UTF8') from document`,
    [spaceId, UPLOADS, text],
  );
}

/** Common and rare words, typos, and words that nothing contains, one search after the other. */
async function measure(search) {
  const random = seeded(3);
  return timed(CALLS, (n) => {
    const words = Array.from({ length: 5 }, () => word(random));
    if (n % 4 === 0) words.push('refundd', 'shippng');
    if (n % 4 === 1) words.push('退款政策多久');
    return search(words.join(' '));
  });
}

/** One call after the other, in milliseconds. */
async function timed(count, call) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    await call(n);
    times.push(performance.now() - begun);
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) };
}
