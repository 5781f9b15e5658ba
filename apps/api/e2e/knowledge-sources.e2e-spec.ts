import type { KnowledgePage, KnowledgeSource } from '@platform/contracts';
import { gzipSync } from 'node:zlib';
import { DataSource, type EntityManager } from 'typeorm';
import { listAddresses } from '../src/knowledge/sources/pages.store.ts';
import {
  CLAIM_SOURCE,
  claimSource,
  hideSource,
  insertSource,
  releaseHost,
  updateSchedule,
} from '../src/knowledge/sources/sources.store.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { rowsRead } from './harness/query-plan.ts';
import { WebSite } from './harness/web-site.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let site: WebSite;
let foreign: WebSite;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_FETCH_PAUSE_MS: '0' } });
});
beforeEach(async () => {
  // Each test has hosts of its own, whose robots.txt is not known yet.
  [site, foreign] = await Promise.all([WebSite.start(), WebSite.start()]);
});
afterEach(() => Promise.all([site.close(), foreign.close()]));
afterAll(() => app.close());

const knowledge = (user: TestUser = app.admin) => app.client(user).knowledge;

/** Waits until a fetch has ended, and the documents have been read. */
function fetched(
  id: string,
  user: TestUser = app.admin,
  after: string | null = null,
): Promise<KnowledgeSource> {
  return eventually(async () => {
    const source = await knowledge(user).getSource(id);
    expect(source.status).toMatch(/READY|FAILED/);
    expect(source.finishedAt).not.toBe(after);
    const unread = await app.sql(
      `select 1 from knowledge_document where status = 'PROCESSING' and deleted_at is null`,
    );
    expect(unread).toEqual([]);
    return knowledge(user).getSource(id);
  });
}

async function add(kind: 'url' | 'sitemap', path: string): Promise<KnowledgeSource> {
  const { id } = await knowledge().createSource({ kind, url: site.url(path) });
  return fetched(id);
}

async function again({ id, finishedAt }: KnowledgeSource): Promise<KnowledgeSource> {
  await knowledge().fetchSource(id);
  return fetched(id, app.admin, finishedAt);
}

async function pagesOf({ id }: KnowledgeSource): Promise<Record<string, KnowledgePage>> {
  const pages: Record<string, KnowledgePage> = {};
  for await (const page of knowledge().listSourcePages(id, { limit: 3 }))
    pages[new URL(page.url).pathname] = page;
  return pages;
}

const titles = async (query: string) =>
  (await knowledge().search({ query })).documents.map(({ title }) => title);

verifies('knowledge.sources', 'finds a page that was fetched, and manages its source', async () => {
  site.html('/wombat?x=1', 'Wombats &amp; co', 'Wombats dig burrows.');
  const url = site.url('/wombat?x=1#part');
  const made = await knowledge().createSource({ kind: 'url', url });
  expect(made).toMatchObject({
    status: 'WAITING',
    everyHours: null,
    enabled: true,
    url: url.replace('#part', ''),
  });
  const source = await fetched(made.id);
  expect(source).toMatchObject({
    status: 'READY',
    error: null,
    documents: 1,
    pages: { waiting: 0, fetched: 1, unchanged: 0, failed: 0, skipped: 0 },
    nextFetchAt: null,
  });
  expect(await titles('burrows')).toEqual(['Wombats & co']);
  const page = (await pagesOf(source))['/wombat'];
  expect(page).toMatchObject({ status: 'FETCHED', reason: null, documentStatus: 'READY' });
  const document = await knowledge().getDocument(page?.documentId ?? '');
  expect(document).toMatchObject({ url: made.url, fileName: null, mediaType: 'text/html' });

  const again = await app.request('POST', '/api/knowledge/sources', { body: { kind: 'url', url } });
  expect([again.status, again.body.message]).toEqual([
    409,
    `The space already has a source with the address ${made.url}`,
  ]);
  expect((await knowledge().listSources({ limit: 1 })).items).toEqual([source]);
  const daily = await knowledge().updateSource(made.id, { everyHours: 24 });
  expect(Date.parse(daily.nextFetchAt ?? '') - Date.parse(daily.startedAt ?? '')).toBe(86_400_000);
  const disabled = await knowledge().updateSource(made.id, { enabled: false });
  expect([disabled.enabled, disabled.everyHours, disabled.nextFetchAt]).toEqual([false, 24, null]);
  const refused = await app.request('POST', `/api/knowledge/sources/${made.id}/fetch`);
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'The source is disabled: enable it to have it fetched',
  ]);
  expect(
    (await knowledge().updateSource(made.id, { enabled: true, everyHours: null })).nextFetchAt,
  ).toBeNull();

  await knowledge().deleteSource(made.id);
  expect((await app.request('GET', `/api/knowledge/sources/${made.id}`)).status).toBe(404);
  await eventually(async () => expect(await titles('burrows')).toEqual([]));
  await eventually(async () => {
    const left = await app.sql('select from knowledge_web_source union all select from knowledge_web_host');
    expect(left).toEqual([]);
  });
  const audited = await app.client().audit.list();
  expect(audited.items.filter(({ targetId }) => targetId === made.id).map(({ action }) => action)).toEqual([
    'knowledge-source.delete',
    'knowledge-source.update',
    'knowledge-source.update',
    'knowledge-source.update',
    'knowledge-source.create',
  ]);
});

verifies('knowledge.sources', 'fetches by the schedule, and keeps documents if that is wanted', async () => {
  site.html('/a', 'Dunnart', 'Dunnarts smile.');
  const source = await add('url', '/a');
  await knowledge().updateSource(source.id, { everyHours: 1 });
  site.html('/a', 'Quokka', 'Quokkas grin.');
  // An hour passes.
  await app.sql(
    `update knowledge_web_source set due_at = due_at - interval '1 hour', started_at = started_at - interval '1 hour'
     where id = $1`,
    [source.id],
  );
  const next = await fetched(source.id, app.admin, source.finishedAt);
  expect(Date.parse(next.nextFetchAt ?? '') - Date.parse(next.startedAt ?? '')).toBe(3_600_000);
  expect(await titles('grin')).toEqual(['Quokka']);
  await knowledge().deleteSource(source.id, { documents: 'keep' });
  await eventually(async () => {
    expect(await app.sql('select 1 from knowledge_web_source where id = $1', [source.id])).toEqual([]);
  });
  expect(await titles('grin')).toEqual(['Quokka']);
});

verifies('knowledge.sources', 'are of their space, and changed by admins', async () => {
  site.html('/a', 'A', 'Text.');
  const { id } = await add('url', '/a');
  const as = app.member;
  expect((await knowledge(as).getSource(id)).id).toBe(id);
  const body = { kind: 'url', url: site.url('/b') };
  const statuses = await Promise.all([
    app.request('POST', '/api/knowledge/sources', { as, body }),
    app.request('POST', `/api/knowledge/sources/${id}/fetch`, { as }),
    app.request('DELETE', `/api/knowledge/sources/${id}`, { as }),
    app.request('GET', `/api/knowledge/sources/${id}`, { as: app.outsider }),
    app.request('GET', `/api/knowledge/sources/${id}/pages`, { as: app.outsider }),
    app.request('DELETE', `/api/knowledge/sources/${id}`, { as: app.outsider }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  const problem = async (url: string, everyHours = 1) =>
    (await app.request('POST', '/api/knowledge/sources', { body: { kind: 'url', url, everyHours } })).body
      .message;
  expect(await problem('ftp://example.com')).toBe('url must be an http or https address');
  expect(await problem('https://a:b@example.com')).toBe('url must not contain credentials');
  expect(await problem('https://example.com', 0)).toMatch(/everyHours/);
});

verifies(
  'knowledge.source-changes',
  'reads again only what has changed, and removes what is gone',
  async () => {
    const tagged = () => {
      const isKnown = site.requests.at(-1)?.headers['if-none-match'] === '"1"';
      return isKnown ? { status: 304 } : { body: '<p>Tagged numbat.</p>', headers: { ETag: '"1"' } };
    };
    site.pages.set('/tagged', tagged);
    site.html('/same', 'Same', 'The same numbat.');
    site.html('/changing', 'Changing', 'First numbat.');
    site.html('/leaving', 'Leaving', 'Leaving numbat.');
    site.html('/vanishing', 'Vanishing', 'Vanishing numbat.');
    site.sitemap('/sitemap.xml', ['/tagged', '/same', '/changing', '/leaving', '/vanishing']);
    const first = await add('sitemap', '/sitemap.xml');
    expect([first.error, first.documents, first.pages.fetched]).toEqual([null, 5, 5]);
    const before = await pagesOf(first);

    site.html('/changing', 'Changing', 'Second numbat.');
    site.pages.delete('/vanishing');
    site.sitemap('/sitemap.xml', ['/tagged', '/same', '/changing', '/vanishing']);
    const second = await again(first);
    expect(second.pages).toEqual({ waiting: 0, fetched: 1, unchanged: 2, failed: 1, skipped: 0 });
    const pages = await pagesOf(second);
    expect(Object.keys(pages)).toEqual(['/sitemap.xml', '/tagged', '/same', '/changing', '/vanishing']);
    expect(pages['/same']?.documentId).toBe(before['/same']?.documentId);
    expect(pages['/tagged']).toMatchObject({
      status: 'UNCHANGED',
      documentId: before['/tagged']?.documentId,
    });
    expect(pages['/vanishing']).toMatchObject({
      status: 'FAILED',
      reason: 'The server returned status 404.',
    });
    expect((await titles('numbat')).sort()).toEqual(['Changing', 'Same', 'Vanishing', 'tagged']);
    expect((await knowledge().search({ query: 'numbat second' })).documents[0]?.snippet).toContain('Second');
    expect(await titles('first')).not.toContain('Changing');

    // The sitemap fails: nothing is lost.
    site.pages.set('/sitemap.xml', { status: 403 });
    const failed = await again(second);
    expect([failed.status, failed.documents]).toEqual(['FAILED', 4]);
    expect(failed.error).toBe(
      `The sitemap ${site.url('/sitemap.xml')} could not be read. The server returned status 403.`,
    );
    site.sitemap('/sitemap.xml', ['/tagged', '/same', '/changing', '/vanishing']);
    const last = await again(failed);
    expect((await titles('numbat')).sort()).toEqual(['Changing', 'Same', 'tagged']);
    expect(last.documents).toBe(3);
    // Nothing is left of what was replaced or removed.
    const [counts] = await app.sql(
      'select count(*)::int as documents from knowledge_document where url like $1',
      [`${site.url('')}%`],
    );
    expect(counts).toEqual({ documents: 3 });
  },
);

verifies('knowledge.source-changes', 'keeps the document whose new version cannot be read', async () => {
  site.html('/a', 'Bilby', 'Bilbies hop.');
  const source = await add('url', '/a');
  const { documentId } = (await pagesOf(source))['/a'] ?? {};
  site.pages.set('/a', { type: 'application/pdf', body: '%PDF-1.7 broken' });
  const broken = await again(source);
  expect(broken.pages.failed).toBe(1);
  const page = (await pagesOf(broken))['/a'];
  expect(page).toMatchObject({ status: 'FAILED', reason: expect.stringContaining('PDF'), documentId });
  expect(await titles('hop')).toEqual(['Bilby']);
  expect((await knowledge().listDocuments()).items.filter(({ url }) => url === source.url)).toHaveLength(1);
  site.pages.set('/a', { status: 500 });
  const down = await again(broken);
  expect((await pagesOf(down))['/a']).toMatchObject({
    status: 'FAILED',
    reason: 'The server returned status 500.',
  });
  expect(await titles('hop')).toEqual(['Bilby']);
  site.html('/a', 'Bilby', 'Bilbies leap.');
  await again(down);
  expect(await titles('leap')).toEqual(['Bilby']);
  expect(await titles('hop')).not.toContain('Bilby hop');
  // Whoever deletes the document by hand does not want it back.
  const found = (await pagesOf(down))['/a']?.documentId ?? '';
  await knowledge().deleteDocument(found);
  const deleted = await again(await knowledge().getSource(source.id));
  expect((await pagesOf(deleted))['/a']).toMatchObject({
    status: 'SKIPPED',
    reason: 'Its document was deleted by hand.',
  });
  expect(await titles('leap')).toEqual([]);
});

verifies(
  'knowledge.source-changes',
  'brings back no document that was deleted while a new version of it was not found yet',
  async () => {
    site.html('/a', 'Dunnart', 'Dunnarts smile.');
    const source = await add('url', '/a');
    const { documentId } = (await pagesOf(source))['/a'] ?? {};
    site.pages.set('/a', { type: 'application/pdf', body: '%PDF-1.7 broken' });
    const broken = await again(source);
    await knowledge().deleteDocument(documentId ?? '');
    site.html('/a', 'Dunnart', 'Dunnarts smile again.');
    const last = await again(broken);
    expect((await pagesOf(last))['/a']).toMatchObject({
      status: 'SKIPPED',
      reason: 'Its document was deleted by hand.',
    });
    expect(await titles('dunnarts')).toEqual([]);
  },
);

verifies(
  'knowledge.source-changes',
  'deletes a new version that was stored at the moment in which the document was deleted',
  async () => {
    site.html('/b', 'Numbat', 'Numbats nibble.');
    const source = await add('url', '/b');
    const { documentId } = (await pagesOf(source))['/b'] ?? {};
    const [version] = await app.sql<{ id: string }>(
      `with deleted as (
         update knowledge_document set deleted_at = clock_timestamp() where id = $1 returning *
       ), stored as (
         insert into knowledge_document (space_id, title, file_name, url, media_type, bytes, created_by, replaces_id)
         select space_id, title, file_name, url, media_type, bytes, created_by, id from deleted returning id, space_id
       ), data as (
         insert into knowledge_source (document_id, space_id, data)
         select id, space_id, '<p>Numbats nibble more.</p>' from stored
       )
       select id from stored`,
      [documentId],
    );
    await eventually(async () => {
      const [read] = await app.sql(
        'select status, deleted_at is not null as is_deleted from knowledge_document where id = $1',
        [version?.id],
      );
      expect(read).toEqual({ status: 'READY', is_deleted: true });
    });
    expect(await titles('nibble')).toEqual([]);
    const chunks = await app.sql('select from knowledge_chunk where document_id = $1', [version?.id]);
    expect(chunks).toEqual([]);
  },
);

verifies(
  'knowledge.source-limits',
  'reads indexes and leaves out what is no page, with the reason',
  async () => {
    site.html('/a', 'A', 'Potoroo one.');
    site.html('/b', 'B', 'Potoroo two.');
    site.pages.set('/prices', { type: 'application/json', body: '{"potoroo": 3}' });
    site.pages.set('/image', { type: 'image/png', body: 'x' });
    site.pages.set('/empty', { body: '' });
    site.pages.set('/away', { status: 302, headers: { Location: foreign.url('/x') } });
    site.pages.set('/moved', { status: 301, headers: { Location: '/b' } });
    site.pages.set('/endless', { status: 302, headers: { Location: '/endless' } });
    site.pages.set('/metadata', { status: 302, headers: { Location: 'http://169.254.169.254/latest' } });
    site.sitemap('/index.xml', ['/pages.xml.gz', '/index.xml', '/loop.xml', '/none.xml'], true);
    site.sitemap('/loop.xml', ['/index.xml', '/loop.xml'], true);
    site.sitemap('/pages', [
      '/a',
      '/b',
      '/prices',
      '/image',
      '/empty',
      '/away',
      '/moved',
      '/endless',
      '/metadata',
      foreign.url('/x'),
      'ftp://x/',
    ]);
    const { body } = site.pages.get('/pages') as { body: string };
    site.pages.set('/pages.xml.gz', { type: 'application/gzip', body: gzipSync(body) });
    const source = await add('sitemap', '/index.xml');
    expect(foreign.requests).toEqual([]);
    const pages = await pagesOf(source);
    const reasons = Object.fromEntries(
      Object.entries(pages).map(([path, { status, reason }]) => [path, `${status}: ${reason}`]),
    );
    const types =
      'text, Markdown, HTML, CSV, JSON, PDF, Word (docx), Excel (xlsx), PowerPoint (pptx), EPUB, or RTF';
    expect(reasons).toEqual({
      '/index.xml': 'FETCHED: null',
      '/pages.xml.gz': 'FETCHED: null',
      '/loop.xml': 'FETCHED: null',
      '/none.xml': 'FAILED: The server returned status 404.',
      '/a': 'FETCHED: null',
      '/b': 'FETCHED: null',
      '/prices': 'FETCHED: null',
      '/image': `SKIPPED: The page has the type image/png, and must be ${types}.`,
      '/empty': 'SKIPPED: The page is empty.',
      '/away': `FAILED: The page redirects to another host: use the address ${foreign.url('/x')}`,
      '/moved': 'FETCHED: null',
      '/endless': 'FAILED: The page redirects too often.',
      '/metadata':
        'FAILED: The page redirects to another host: use the address http://169.254.169.254/latest',
      '/x': `SKIPPED: The address is at another host than the sitemap, ${new URL(site.url('/')).host}.`,
      '/': 'SKIPPED: This is not the address of a web page.',
    });
    expect(source.error).toBe(
      `The sitemap ${site.url('/none.xml')} could not be read. The server returned status 404.`,
    );
    const skipped = await knowledge().listSourcePages(source.id, { status: 'SKIPPED' });
    expect(skipped.items).toHaveLength(4);
  },
);

verifies('knowledge.source-limits', 'ends bombs and sitemaps beyond the limits', async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(100)}">]><urlset><url><loc>${site.url('/')}&a;&a;</loc></url></urlset>`;
  site.pages.set('/entities.xml', { type: 'text/xml', body: bomb });
  site.pages.set('/bomb.xml.gz', { body: gzipSync(Buffer.alloc(12 * 1024 * 1024, 32)) });
  site.pages.set('/page.xml', { body: '<html><body>No sitemap</body></html>' });
  site.sitemap(
    '/large.xml',
    Array.from({ length: 1_003 }, (_, i) => `/p${i}`),
  );
  site.pages.set('/robots.txt', {
    type: 'text/plain',
    body: 'User-agent: *\nDisallow: /p\nAllow: /page.xml',
  });
  const errors: (string | null)[] = [];
  for (const path of ['/bomb.xml.gz', '/page.xml', '/entities.xml', '/large.xml']) {
    const { error, leftOut, pages } = await add('sitemap', path);
    errors.push(error?.slice(error.indexOf(' could')) ?? null);
    if (path === '/large.xml') expect([leftOut, pages.skipped]).toEqual([3, 1_000]);
  }
  expect(errors).toEqual([
    ' could not be read. The sitemap has more than 10 MB.',
    ' could not be read. This is not a sitemap: its root element must be urlset or sitemapindex.',
    null,
    null,
  ]);
});

verifies('knowledge.source-limits', 'does not reach private addresses', async () => {
  const { id } = await knowledge().createSource({ kind: 'url', url: 'http://169.254.169.254/latest' });
  const source = await fetched(id);
  const page = (await pagesOf(source))['/latest'];
  expect(page?.reason).toBe(
    'The robots.txt of the host could not be read. The address could not be reached.',
  );
});

verifies('knowledge.source-manners', 'does what the host asks for, one request at a time', async () => {
  site.pages.set('/robots.txt', {
    body: 'User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private',
  });
  let refusals = 1;
  site.pages.set('/busy', () =>
    refusals-- > 0 ? { status: 429, headers: { 'Retry-After': '1' } } : { body: '<p>Busy dunnart</p>' },
  );
  site.html('/private/a', 'Private', 'Secret.');
  site.pages.set('/detour', { status: 302, headers: { Location: '/private/a' } });
  for (let i = 0; i < 3; i++) site.html(`/page${i}`, `Page ${i}`, 'A dunnart.');
  site.sitemap('/sitemap.xml', ['/busy', '/private/a', '/detour', ...[0, 1, 2].map((i) => `/page${i}`)]);
  const { id: other } = await knowledge(app.outsider).createSource({
    kind: 'sitemap',
    url: site.url('/sitemap.xml'),
  });
  const source = await add('sitemap', '/sitemap.xml');
  await fetched(other, app.outsider);
  expect(site.most).toBe(1);
  expect(source.documents).toBe(4);
  const pages = await pagesOf(source);
  expect(pages['/private/a']).toMatchObject({
    status: 'SKIPPED',
    reason: 'The robots.txt of the host does not allow it.',
  });
  expect(pages['/detour']).toMatchObject({
    status: 'FAILED',
    reason: 'The page redirects to one that the robots.txt of the host does not allow.',
  });
  const paths = site.takePaths();
  expect(paths.filter((path) => path === '/robots.txt')).toHaveLength(1);
  expect(paths).not.toContain('/private/a');
  expect(refusals).toBe(-2);
});

verifies(
  'knowledge.source-manners',
  'gives up a host that fails again and again, until the next fetch',
  async () => {
    site.sitemap(
      '/sitemap.xml',
      Array.from({ length: 8 }, (_, i) => `/p${i}`),
    );
    for (let i = 0; i < 8; i++) site.pages.set(`/p${i}`, { status: 503 });
    const source = await add('sitemap', '/sitemap.xml');
    expect(source.pages.failed).toBe(8);
    expect(site.takePaths().filter((path) => path.startsWith('/p'))).toHaveLength(10);
    const reasons = Object.values(await pagesOf(source)).map(({ reason }) => reason);
    expect(reasons.at(-1)).toBe('The host failed 10 times in a row. The next fetch tries again.');
  },
);

/** Tries what workers do with sources that only this transaction sees. */
async function alone(test: (tx: EntityManager) => Promise<void>): Promise<void> {
  const runner = app.get(DataSource).createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query('update knowledge_web_source set due_at = null, claimed_at = null');
    await test(runner.manager);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

async function insert(tx: EntityManager, host: string, user: TestUser = app.admin): Promise<string> {
  const { spaceId, userId: createdBy } = user;
  const values = { spaceId, kind: 'sitemap', url: `http://${host}/`, host, createdBy } as const;
  // Not now: the column has milliseconds, so that now may be rounded up to a moment that is not due yet.
  const dueAt = () => `clock_timestamp() - interval '1 second'`;
  const source = await insertSource(tx, { ...values, dueAt });
  return source?.id ?? '';
}

verifies('knowledge.source-manners', 'spaces take turns, and none has more than two requests', () =>
  alone(async (tx) => {
    for (const host of ['one', 'two', 'three']) await insert(tx, host);
    await insert(tx, 'four', app.outsider);
    const claimed: (string | undefined)[] = [];
    for (let i = 0; i < 4; i++) claimed.push((await claimSource(tx))?.host);
    expect(claimed).toEqual(['one', 'four', 'two', undefined]);
  }),
);

verifies('knowledge.source-manners', 'a space had its turn also if what was fetched has ended', () =>
  alone(async (tx) => {
    for (const host of ['one', 'two']) await insert(tx, host);
    expect((await claimSource(tx))?.host).toBe('one');
    await tx.query(`update knowledge_web_source set due_at = null where host = 'one'`);
    await insert(tx, 'three', app.outsider);
    expect((await claimSource(tx))?.host).toBe('three');
  }),
);

verifies('knowledge.source-manners', 'a claim reads few of many sources', async () => {
  await app.sql(`insert into knowledge_web_host (host) select 'many' || i from generate_series(1, 4000) i`);
  await app.sql(
    `insert into space (id, name) select gen_random_uuid(), 'Of many sources' from generate_series(1, 40)`,
  );
  await app.sql(
    `insert into knowledge_web_source (space_id, kind, url, host, created_by, due_at)
     select s.id, 'sitemap', 'http://many' || i, 'many' || i, $1, clock_timestamp() + interval '1 hour'
     from generate_series(1, 4000) i
     join (select id, row_number() over (order by id) as n from space where name = 'Of many sources') s on s.n = i % 40 + 1`,
    [app.admin.userId],
  );
  await app.sql('analyze knowledge_web_source, knowledge_web_host');
  // Due only here, where no worker sees it.
  const settings = `update knowledge_web_source set due_at = clock_timestamp() where due_at is not null`;
  // About 360 with most plans; one that reads all sources reads each of the 4,000 at least once.
  expect(await rowsRead(app, CLAIM_SOURCE, [], settings)).toBeLessThan(4_000);
});

verifies('knowledge.source-manners', 'a worker that has lost its lease does not free the host', () =>
  alone(async (tx) => {
    await insert(tx, 'one');
    const old = await claimSource(tx);
    expect(await claimSource(tx)).toBeNull();
    await tx.query(`update knowledge_web_host set free_at = clock_timestamp() where host = 'one'`);
    const now = await claimSource(tx);
    if (old === null || now === null) throw new Error('There was nothing to claim');
    expect(await releaseHost(tx, old, 0)).toBe(false);
    expect(await claimSource(tx)).toBeNull();
    expect(await releaseHost(tx, now, 0)).toBe(true);
    expect(await releaseHost(tx, now, 0)).toBe(false);
    expect((await claimSource(tx))?.host).toBe('one');
  }),
);

verifies('knowledge.source-changes', 'pages that have left the sitemaps leave room for new ones', () =>
  alone(async (tx) => {
    const id = await insert(tx, 'one');
    const list = (fetches: number, urls: string[]) => listAddresses(tx, { id, fetches }, urls, null, 2);
    expect(await list(1, ['a', 'b'])).toBe(0);
    expect(await list(2, ['c', 'd', 'e'])).toBe(1);
    // A sitemap that fails has the old ones stay, but not without end.
    expect(await list(3, ['f', 'c'])).toBe(1);
  }),
);

verifies('knowledge.sources', 'a change does not keep a source that is deleted at the same time', () =>
  alone(async (tx) => {
    const id = await insert(tx, 'one');
    await hideSource(tx, id, true);
    const source = await updateSchedule(tx, id, { everyHours: null, enabled: false });
    expect(source.dueAt).not.toBeNull();
    expect((await claimSource(tx))?.isDeleted).toBe(true);
  }),
);
