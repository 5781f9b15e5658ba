import type { KnowledgeDocumentDetail } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { queryTerms } from '../src/knowledge/extraction/terms.ts';
import { insertChunks, SEARCH_CHUNKS } from '../src/knowledge/documents/knowledge-chunks.store.ts';
import { CLAIM_DOCUMENT, claimDocument } from '../src/knowledge/documents/knowledge-documents.store.ts';
import { spaceTag } from '../src/knowledge/documents/space-tag.ts';
import { bombContent, ENCRYPTED, makePdf } from './fixtures/pdf.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { rowsRead } from './harness/query-plan.ts';
import { nodes, type Plan } from './harness/sql-plans.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
afterEach(() => disarmFailpoints());

/** Waits until a document has been read. */
function settled(id: string, user: TestUser = app.admin): Promise<KnowledgeDocumentDetail> {
  return eventually(async () => {
    const document = await app.client(user).knowledge.getDocument(id);
    expect(document.status).not.toBe('PROCESSING');
    return document;
  });
}

async function addText(
  title: string,
  text: string,
  user: TestUser = app.admin,
): Promise<KnowledgeDocumentDetail> {
  const { id } = await app.client(user).knowledge.createDocument({ title, text });
  return settled(id, user);
}

async function addFile(fileName: string, data: Buffer | string, type = ''): Promise<KnowledgeDocumentDetail> {
  const file = new Blob([new Uint8Array(Buffer.from(data))], { type });
  const { id } = await app.client().knowledge.createDocument({ file, fileName });
  return settled(id);
}

const titlesFound = async (query: string, user: TestUser = app.admin) =>
  (await app.client(user).knowledge.search({ query })).documents.map(({ title }) => title);

describe('documents', () => {
  verifies('knowledge.documents', 'are uploaded, listed, returned, and deleted', async () => {
    const client = app.client();
    const made = await client.knowledge.createDocument({
      title: 'Zebra guide',
      text: 'Zebras have stripes.',
    });
    expect(made).toEqual({
      id: expect.any(String),
      spaceId: app.admin.spaceId,
      title: 'Zebra guide',
      fileName: null,
      url: null,
      mediaType: 'text/markdown',
      bytes: 20,
      status: 'PROCESSING',
      error: null,
      chunks: 0,
      encoding: null,
      createdBy: app.admin.userId,
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
    });
    const ready = await settled(made.id);
    expect(ready).toMatchObject({ status: 'READY', chunks: 1, excerpt: 'Zebras have stripes.' });
    // Titles need not be unique.
    const second = await addText('Zebra guide', 'Zebras eat grass.');
    const page = await client.knowledge.listDocuments({ limit: 1 });
    expect(page.items.map(({ id }) => id)).toEqual([second.id]);
    const next = await client.knowledge.listDocuments({ limit: 1, cursor: page.nextCursor ?? '' });
    expect(next.items.map(({ id, status }) => [id, status])).toEqual([[made.id, 'READY']]);

    expect((await client.knowledge.search({ query: 'zebra stripes' })).documents[0]).toMatchObject({
      id: made.id,
      snippet: 'Zebras have stripes.',
      source: 'knowledge',
    });
    await client.knowledge.deleteDocument(made.id);
    const gone = await app.request('GET', `/api/knowledge/documents/${made.id}`);
    expect([gone.status, gone.body.message]).toEqual([404, `Document ${made.id} does not exist`]);
    expect((await app.request('DELETE', `/api/knowledge/documents/${made.id}`)).status).toBe(404);
    expect((await client.knowledge.search({ query: 'stripes' })).documents).toEqual([]);
    const left = await app.sql('select 1 from knowledge_chunk where document_id = $1', [made.id]);
    expect(left).toEqual([]);
    expect(await app.sql('select 1 from knowledge_source')).toEqual([]);
  });

  verifies(
    'knowledge.access',
    'are read by members, written by admins, and found in their space only',
    async () => {
      const { id } = await addText('Numbat facts', 'A numbat eats termites.');
      const member = app.client(app.member);
      expect((await member.knowledge.getDocument(id)).title).toBe('Numbat facts');
      expect(await titlesFound('numbat', app.member)).toEqual(['Numbat facts']);
      const as = app.member;
      const writes = [
        app.request('POST', '/api/knowledge/documents', { as, body: { title: 'x', text: 'x' } }),
        app.request('DELETE', `/api/knowledge/documents/${id}`, { as }),
      ];
      expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([403, 403]);
      for (const method of ['GET', 'DELETE']) {
        const foreign = await app.request(method, `/api/knowledge/documents/${id}`, { as: app.outsider });
        expect(foreign.status).toBe(403);
      }
      await addText('Other numbats', 'Another numbat.', app.outsider);
      expect(await titlesFound('numbat', app.outsider)).toEqual(['Other numbats']);
      expect(await titlesFound('numbat')).toEqual(['Numbat facts']);
      // Also if both spaces had the same tag in the index.
      const { id: foreignId } = await addText('Third numbats', 'Nothing.', app.outsider);
      const foreign = { n: 2, heading: '', text: 'numbat', terms: `${spaceTag(app.admin.spaceId)}numbat` };
      const place = { id: foreignId, spaceId: app.outsider.spaceId };
      await insertChunks(app.get(DataSource), place, JSON.stringify([foreign]));
      expect(await titlesFound('numbat')).toEqual(['Numbat facts']);
      await app.client(app.outsider).knowledge.deleteDocument(foreignId);
      const { items } = await app.client(app.outsider).knowledge.listDocuments();
      expect(items.map(({ title }) => title)).toEqual(['Other numbats']);
    },
  );

  verifies('knowledge.uploads', 'are refused with the reason if they are none', async () => {
    const post = (body: unknown) => app.request('POST', '/api/knowledge/documents', { body });
    const problem = async (body: unknown) => {
      const { status, body: answer } = await post(body);
      return [status, answer.message];
    };
    expect((await app.request('POST', '/api/knowledge/documents')).status).toBe(400);
    expect(await problem({})).toEqual([400, 'title is required; text is required']);
    expect(await problem({ title: 'a\0', text: ' ' })).toEqual([
      400,
      expect.stringContaining('title must be'),
    ]);
    expect(await problem({ title: 'x'.repeat(201), text: 'x' })).toEqual([
      400,
      expect.stringContaining('title'),
    ]);
    expect(await problem({ title: 'x', text: 'x', more: 1 })).toEqual([400, 'more is not a known field']);
    expect(await problem({ title: 'x', text: 'x'.repeat(1_100_000) })).toEqual([413, expect.any(String)]);

    const form = async (fields: [string, Blob | string, string?][]) => {
      const body = new FormData();
      for (const [name, value, fileName] of fields)
        if (typeof value === 'string') body.append(name, value);
        else body.append(name, value, fileName);
      const response = await fetch(`${app.url}/api/knowledge/documents`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.admin.apiKey}` },
        body,
      });
      return [response.status, ((await response.json()) as { message: string }).message];
    };
    const text = new Blob(['x']);
    expect(await form([['title', 'x']])).toEqual([400, 'file must be one file']);
    expect(await form([['file', 'not a file']])).toEqual([400, 'file must be one file']);
    expect(
      await form([
        ['file', text, 'a.txt'],
        ['file', text, 'b.txt'],
      ]),
    ).toEqual([400, 'file must be one file']);
    expect(
      await form([
        ['file', text, 'a.txt'],
        ['more', 'x'],
      ]),
    ).toEqual([400, 'more is not a known field']);
    expect(await form([['file', new Blob([]), 'a.txt']])).toEqual([400, 'file must not be empty']);
    expect(await form([['file', text, 'a.exe']])).toEqual([
      400,
      'file must be text, Markdown, HTML, CSV, JSON, PDF, Word (docx), Excel (xlsx), PowerPoint (pptx), EPUB, or RTF',
    ]);
    const many = Array.from({ length: 10 }, (_, i): [string, string] => [`f${i}`, 'x']);
    expect(await form(many)).toEqual([400, 'The body must be a multipart form with at most 8 fields']);
    const broken = await app.request('POST', '/api/knowledge/documents', {
      raw: '--x\r\nbroken',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    });
    expect([broken.status, broken.body.message]).toEqual([400, 'The body is not a valid multipart form']);
    const search = (body: unknown) => app.request('POST', '/api/knowledge/search', { body });
    for (const body of [{}, { query: ' ' }, { query: 'x', topK: 0 }, { query: 'x', topK: 51 }])
      expect((await search(body)).status).toBe(400);
  });
});

describe('reading documents', () => {
  verifies('knowledge.extraction', 'takes text, Markdown, HTML, and PDF', async () => {
    const html =
      '<title>No</title><h1>Quokka &amp; co</h1><script>hidden()</script><p>They <b>smile</b>.<p>Often.';
    const read = await Promise.all([
      addFile('quoll.txt', '\ufeffQuolls are spotted.\r\nTruly.'),
      addFile('potoroo.md', '# Potoroo\n\nDigs.'),
      addFile('quokka.html', html),
      addFile('bilby.pdf', makePdf(['Bilbies have long ears', 'and dig burrows'])),
      addFile('gbk.txt', Buffer.from([0xb4, 0xfc, 0xca, 0xf3]), 'text/plain; charset=gbk'),
      addFile('prices.json', '{"numbat": 5}'),
      addFile('prices', '{"numbat": 6}', 'application/json'),
    ]);
    expect(read.map((document) => [document.status, document.mediaType, document.excerpt])).toEqual([
      ['READY', 'text/plain', 'Quolls are spotted.\nTruly.'],
      ['READY', 'text/markdown', 'Potoroo\n\nDigs.'],
      ['READY', 'text/html', 'Quokka & co\nThey smile.\nOften.'],
      ['READY', 'application/pdf', 'Bilbies have long ears\nand dig burrows'],
      ['READY', 'text/plain', '袋鼠'],
      ['READY', 'text/plain', '{"numbat": 5}'],
      ['READY', 'text/plain', '{"numbat": 6}'],
    ]);
    expect(await titlesFound('bilbies')).toEqual(['bilby.pdf']);
  });

  verifies('knowledge.extraction', 'says why a document cannot be read, and nothing else stops', async () => {
    const [locked, bomb, after] = await Promise.all([
      addFile('locked.pdf', makePdf(['x'], { trailer: ENCRYPTED })),
      addFile('bomb.pdf', makePdf(['x'], { content: () => bombContent(100_000_000, 1) })),
      addText('Wallaby', 'Wallabies hop.'),
    ]);
    expect([locked.status, locked.error, locked.chunks]).toEqual([
      'FAILED',
      'The PDF is encrypted. Remove its password, and upload it again.',
      0,
    ]);
    expect([bomb.status, bomb.error]).toEqual(['FAILED', 'The PDF decompresses to more than can be read.']);
    expect(after.status).toBe('READY');
    expect(await app.sql('select 1 from knowledge_source')).toEqual([]);
  });

  verifies('knowledge.extraction', 'stores what PostgreSQL cannot hold as spaces', async () => {
    const text = 'nul\0pangolin \ud800lone surrogates';
    const { status, id } = await addText('Pangolin', text);
    expect(status).toBe('READY');
    expect(await app.client().knowledge.getDocument(id)).toMatchObject({
      excerpt: 'nul pangolin \ufffdlone surrogates',
    });
    expect(await titlesFound('pangolin')).toEqual(['Pangolin']);
  });

  verifies('knowledge.recovery', 'begins again after the worker has died, three times', async () => {
    armFailpoints(['knowledge.extracted:throw@1']);
    const failed = await addText('Unlucky', 'An unexpected failure is not shown.');
    expect([failed.status, failed.error]).toEqual(['FAILED', 'The document could not be read.']);

    // A worker that died holds an expired lease, and its bytes are still there.
    const again = async (attempts: number) => {
      const { id } = await addText('Echidna', 'An echidna lays eggs.');
      await app.sql('delete from knowledge_chunk where document_id = $1', [id]);
      await app.sql(
        `insert into knowledge_source (document_id, space_id, data) values ($1, $2, convert_to('An echidna lays eggs.', 'UTF8'))`,
        [id, app.admin.spaceId],
      );
      await app.sql(
        `update knowledge_document set status = 'PROCESSING', attempts = $2, lease_until = clock_timestamp() - interval '1 s'
         where id = $1`,
        [id, attempts],
      );
      const { status, error, chunks } = await settled(id);
      return [status, error, chunks];
    };
    expect(await again(2)).toEqual(['READY', null, 1]);
    expect(await again(3)).toEqual([
      'FAILED',
      'The document could not be read: 3 attempts were interrupted.',
      0,
    ]);
  });

  verifies('knowledge.recovery', 'stores nothing of a document that was deleted meanwhile', async () => {
    const client = app.client();
    const { id } = await client.knowledge.createDocument({
      file: new Blob(['A thylacine is extinct. '.repeat(50_000)]),
      fileName: 'thylacine.txt',
    });
    await eventually(async () => {
      const [document] = await app.sql<{ attempts: number }>(
        'select attempts from knowledge_document where id = $1',
        [id],
      );
      expect(document?.attempts).toBe(1);
    });
    await client.knowledge.deleteDocument(id);
    // The worker is done with it when it has read another one.
    await addText('Tasmanian devil', 'It growls.');
    await addText('Tasmanian devil', 'It bites.');
    expect(await app.sql('select 1 from knowledge_chunk where document_id = $1', [id])).toEqual([]);
    expect(await titlesFound('thylacine')).toEqual([]);
  });
});

describe('waiting documents', () => {
  const WAITING = `insert into knowledge_document (space_id, title, media_type, bytes, created_by)
    select $1, title, 'text/plain', 1, $2 from unnest($3::text[]) title`;

  /** Tries what workers do with documents that only this transaction sees. */
  async function alone(test: (tx: EntityManager) => Promise<void>): Promise<void> {
    const runner = app.get(DataSource).createQueryRunner();
    try {
      await runner.startTransaction();
      await runner.query(`delete from knowledge_document where status = 'PROCESSING'`);
      await test(runner.manager);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  const wait = (tx: EntityManager, titles: string[], { spaceId, userId }: TestUser = app.admin) =>
    tx.query(WAITING, [spaceId, userId, titles]);

  async function claim(tx: EntityManager, count: number): Promise<(string | undefined)[]> {
    const claimed: (string | undefined)[] = [];
    for (let i = 0; i < count; i++) claimed.push((await claimDocument(tx))?.title);
    return claimed;
  }

  const thousand = Array.from({ length: 1_000 }, (_, i) => `Many ${i}`);

  verifies('knowledge.fair', 'of a space are not behind a thousand of another space', () =>
    alone(async (tx) => {
      await wait(tx, thousand);
      await wait(tx, ['Single'], app.outsider);
      expect(await claim(tx, 2)).toContain('Single');
      // The other space goes on, and has all places.
      expect(await claim(tx, 3)).toEqual(['Many 1', 'Many 2', 'Many 3']);
      // Both have a place: the next is for the space with fewer of them.
      await wait(tx, ['Another'], app.outsider);
      expect(await claim(tx, 2)).toEqual(['Another', 'Many 4']);
    }),
  );

  verifies('knowledge.fair', 'are read in their order, after those whose worker has died', () =>
    alone(async (tx) => {
      await wait(tx, [...thousand, 'Died', 'Being read']);
      const lease = (title: string, sooner: string) =>
        tx.query(
          `update knowledge_document set attempts = 1, lease_until = clock_timestamp() ${sooner} where title = $1`,
          [title],
        );
      await lease('Died', `- interval '1 second'`);
      await lease('Being read', `+ interval '1 minute'`);
      expect(await claim(tx, 3)).toEqual(['Died', 'Many 0', 'Many 1']);
    }),
  );

  verifies('knowledge.fair', 'are claimed by an index, of which a claim reads little', async () => {
    // Half of the documents have been read. All of it is seen by no worker.
    const many = `
      insert into space (id, name) select gen_random_uuid(), 'Of many documents' from generate_series(1, 40);
      insert into knowledge_document (space_id, title, media_type, bytes, created_by, status, lease_until)
        select s.id, 'Many', 'text/plain', 1, s.id, case when i <= 4000 then 'READY' else 'PROCESSING' end,
          case when i > 7997 then clock_timestamp() + interval '1 minute' end
        from generate_series(1, 8000) i
        join (select id, row_number() over () as n from space where name = 'Of many documents') s on s.n = i % 40 + 1;
      analyze knowledge_document`;
    // About 270; a plan that reads all that wait reads each of the 4,000 at least once.
    expect(await rowsRead(app, CLAIM_DOCUMENT, [], many)).toBeLessThan(2_000);
    await alone(async (tx) => {
      await tx.query(many);
      const [row] = await tx.query<[{ 'QUERY PLAN': [{ Plan: Plan }] }]>(
        `explain (format json) ${CLAIM_DOCUMENT}`,
      );
      const read = [...nodes(row['QUERY PLAN'][0].Plan)].filter(
        (node) => node['Relation Name'] === 'knowledge_document' && node['Node Type'] !== 'ModifyTable',
      );
      expect(new Set(read.map((node) => node['Index Name']))).toEqual(
        new Set(['knowledge_document_turn', 'knowledge_document_queue', 'knowledge_document_pkey']),
      );
    });
  });
});

describe('the search', () => {
  verifies('knowledge.search', 'finds Chinese words inside sentences', async () => {
    await addText('退款政策', '我们的退款申请会在十四个工作日之内处理完毕，请耐心等待。');
    await addText('猫', '院子里有一只猫。');
    expect(await titlesFound('退款要多久？')).toEqual(['退款政策']);
    expect(await titlesFound('工作日')).toEqual(['退款政策']);
    expect(await titlesFound('猫')).toEqual(['猫']);
    expect(await titlesFound('公司年报')).toEqual([]);
  });

  verifies('knowledge.search', 'reads a bounded number of rows of 20,000 chunks, by the index', async () => {
    const { outsider: owner } = app;
    const { id } = await addText('Large', 'Where the chunks of this test belong', owner);
    const tag = spaceTag(owner.spaceId);
    // Every chunk has the word `everywhere`, every 50th the word `often`, and one the word `needle`.
    for (let from = 2; from <= 20_001; from += 500) {
      const batch = Array.from({ length: 500 }, (_, i) => {
        const n = from + i;
        const words = ['everywhere', ...(n % 50 === 0 ? ['often'] : []), ...(n === 7_777 ? ['needle'] : [])];
        for (let k = 0; k < 20; k++) words.push(`word${(n * 7_919 + k * 104_729) % 5_000}`);
        return { n, heading: '', text: words.join(' '), terms: words.map((word) => tag + word).join(' ') };
      });
      await insertChunks(app.get(DataSource), { id, spaceId: owner.spaceId }, JSON.stringify(batch));
    }
    await app.sql('update knowledge_document set chunks = 20001 where id = $1', [id]);
    await app.sql('analyze knowledge_chunk');
    const search = (query: string) => app.client(owner).knowledge.search({ query, topK: 3 });
    const { documents } = await search('everywhere often needle');
    expect(documents).toHaveLength(3);
    expect(documents[0]?.snippet).toContain('needle');
    expect(documents.map(({ score }) => score)).toEqual(
      documents.map(({ score }) => score).sort((a, b) => b - a),
    );
    expect((await search('everywhere')).documents).toHaveLength(3);

    const terms = queryTerms('everywhere often needle word17', 48).map(({ text }) => `'${tag}${text}'`);
    const [{ 'QUERY PLAN': [{ Plan: plan }] } = { 'QUERY PLAN': [{ Plan: {} }] }] = await app.sql<{
      'QUERY PLAN': [{ Plan: object }];
    }>(`explain (analyze, format json) ${SEARCH_CHUNKS}`, [owner.spaceId, terms, 20, terms.map(() => 1)]);
    expect(JSON.stringify(plan)).toContain('"Index Name":"knowledge_chunk_terms"');
    expect(JSON.stringify(plan)).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"knowledge_chunk"/);
  });
});
