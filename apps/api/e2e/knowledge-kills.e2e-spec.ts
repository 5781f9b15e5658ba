import { DataSource } from 'typeorm';
import { insertChunks } from '../src/knowledge/documents/knowledge-chunks.store.ts';
import { TestApp } from './harness/app.ts';
import { childProcesses, isRunning } from './harness/child-processes.ts';
import { eventually } from './harness/eventually.ts';
import { ServiceProcess } from './harness/process.ts';
import { WebSite } from './harness/web-site.ts';
import { verifies } from './verifies.ts';

const PASSAGES = 200;
const PROGRAM = 'extraction-child';
/** Reading it takes seconds. */
const LONG = '<h1>a'.repeat(4_000_000);

let app: TestApp;
/** Those that are to die. */
const workers: ServiceProcess[] = [];
/** Those that go on: in the process of the tests, because a start takes longer than their work. */
const survivors: TestApp[] = [];

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
});
afterEach(async () => {
  await Promise.all(workers.filter(({ hasEnded }) => !hasEnded).map((worker) => worker.kill()));
  await Promise.all(survivors.splice(0).map((survivor) => survivor.close()));
});
afterAll(() => app.close());

function spawnWorker(failpoints: string): Promise<ServiceProcess> {
  const worker = ServiceProcess.spawn({
    DATABASE_URL: app.databaseUrl,
    PLATFORM_SECRET_KEY: app.secretKey,
    PLATFORM_DATA_DIR: app.dataDir,
    PLATFORM_ROLE: 'worker',
    PLATFORM_FETCH_PAUSE_MS: '0',
    PLATFORM_FAILPOINTS: failpoints,
  });
  void worker.then((one) => workers.push(one));
  return worker;
}

async function startSurvivor(): Promise<void> {
  const env = { PLATFORM_ROLE: 'worker', PLATFORM_FETCH_PAUSE_MS: '0' };
  survivors.push(await TestApp.start({ database: app, env }));
}

/** Uploads a document that cannot be read soon. */
async function addLong(): Promise<string> {
  const file = new Blob([LONG]);
  return (await app.client().knowledge.createDocument({ file, fileName: 'long.html' })).id;
}

/** The process that reads the documents of a service. */
function reading(service: { pid: number }): Promise<number> {
  return eventually(async () => {
    // A process that idles reads none.
    const rows = await app.sql(
      `select 1 from knowledge_document where status = 'PROCESSING' and attempts > 0`,
    );
    const [pid] = childProcesses(service.pid, PROGRAM);
    if (rows.length === 0 || pid === undefined) throw new Error('No document is being read');
    return pid;
  });
}

/** A document that has been read. */
async function addDocument(): Promise<string> {
  const { spaceId } = app.admin;
  const { id } = await app
    .client()
    .knowledge.createDocument({ title: 'Large', text: 'Its passages follow.' });
  const chunks = Array.from({ length: PASSAGES }, (_, i) => ({
    n: i + 1,
    heading: '',
    text: `Passage ${i + 1} of the document`,
    terms: 'x',
  }));
  await insertChunks(app.get(DataSource), { id, spaceId }, JSON.stringify(chunks));
  await app.sql('delete from knowledge_source where document_id = $1', [id]);
  await app.sql(`update knowledge_document set status = 'READY', chunks = $2 where id = $1`, [id, PASSAGES]);
  return id;
}

/** The places of the batches: before anything of one is stored, and before its commit. */
const DEATHS = ['knowledge.embedded:kill@2', 'knowledge.vectors-stored:kill@2'];

verifies('knowledge.meaning-recovery', 'is complete and charged once after processes have died', async () => {
  await addDocument();
  const { knowledge } = app.client();
  await knowledge.updateSettings({ embeddingModel: 'platform/offline' });
  const embedded: number[] = [];
  for (const death of DEATHS) {
    const worker = await spawnWorker(death);
    expect(await worker.exit()).toBe('SIGKILL');
    embedded.push((await knowledge.getSettings()).embedding?.embedded ?? 0);
    // What the dead process held ends now and not in minutes.
    await app.sql(`update knowledge_embedding set lease_until = clock_timestamp() - interval '1 s'`);
  }
  // Each process stored one batch before it died.
  expect(embedded).toEqual([64, 128]);
  await startSurvivor();
  await eventually(async () => {
    const { embedding } = await knowledge.getSettings();
    expect(embedding).toMatchObject({ status: 'READY', embedded: PASSAGES, passages: PASSAGES });
  });
  const [rows] = await app.sql<{ codes: number; vectors: number }>(
    `select (select count(*) from knowledge_code)::int as codes, (select count(*) from knowledge_vector)::int as vectors`,
  );
  expect(rows).toEqual({ codes: PASSAGES, vectors: PASSAGES });
  // Four batches were stored; the calls of the dead processes wait for the sweeper, which charges them as estimated.
  const charged = (await app.client().usage.entries({ source: 'knowledge' })).items;
  expect(charged.map(({ estimated }) => estimated)).toEqual([false, false, false, false]);
  const open = await app.sql(`select 1 from usage_reservation where source = 'knowledge'`);
  expect(open).toHaveLength(DEATHS.length);
});

verifies('knowledge.extraction-process', 'ends without the service, also amid a document', async () => {
  await startSurvivor();
  const id = await addLong();
  const pid = await reading(process);
  process.kill(pid, 'SIGABRT');
  const { knowledge } = app.client();
  await eventually(async () => {
    const { status, error } = await knowledge.getDocument(id);
    expect([status, error]).toEqual(['FAILED', 'Reading the document takes more memory than allowed.']);
  });
  const next = await knowledge.createDocument({ title: 'Next', text: 'It is read.' });
  await eventually(async () => expect((await knowledge.getDocument(next.id)).status).toBe('READY'));
});

verifies('knowledge.recovery', 'reads a document again whose service was killed amid it', async () => {
  const service = await spawnWorker('');
  const id = await addLong();
  const pid = await reading(service);
  await service.kill();
  // It would run on for longer than this is waited for.
  await eventually(() => {
    expect(isRunning(pid)).toBe(false);
    return Promise.resolve();
  });
  // The lease ends now and not in minutes, and this time the document can be read.
  await app.sql(
    `update knowledge_source set data = convert_to('Wombats dig', 'UTF8') where document_id = $1`,
    [id],
  );
  await app.sql(
    `update knowledge_document set lease_until = clock_timestamp() - interval '1 s' where id = $1`,
    [id],
  );
  await startSurvivor();
  await eventually(async () => {
    const { status, chunks } = await app.client().knowledge.getDocument(id);
    expect([status, chunks]).toEqual(['READY', 1]);
  });
});

verifies(
  'knowledge.source-recovery',
  'has one document of each page after processes have died',
  async () => {
    const site = await WebSite.start();
    try {
      const paths = Array.from({ length: 5 }, (_, i) => `/page${i}`);
      for (const path of paths) site.html(path, path.slice(1), 'A pademelon.');
      site.sitemap('/sitemap.xml', paths);
      const { knowledge } = app.client();
      const { id } = await knowledge.createSource({ kind: 'sitemap', url: site.url('/sitemap.xml') });
      // It dies with the first page in its hands.
      const worker = await spawnWorker('knowledge.page-fetched:kill@2');
      expect(await worker.exit()).toBe('SIGKILL');
      const before = await knowledge.getSource(id);
      expect([before.status, before.pages.fetched, before.pages.waiting]).toEqual(['FETCHING', 0, 5]);
      // What it held ends now and not in minutes.
      await app.sql(`update knowledge_web_host set free_at = clock_timestamp() - interval '1 s'`);
      await Promise.all([startSurvivor(), startSurvivor()]);
      await eventually(async () => {
        const source = await knowledge.getSource(id);
        expect([source.status, source.pages.fetched]).toEqual(['READY', 5]);
        const ready = await app.sql(
          `select 1 from knowledge_document where url like $1 and status = 'READY'`,
          [`${site.url('')}%`],
        );
        expect(ready).toHaveLength(5);
      });
      const all = await app.sql('select 1 from knowledge_document where url like $1', [`${site.url('')}%`]);
      expect(all).toHaveLength(5);
      expect(site.most).toBe(1);
      // Only what was in the hands of the dead process was requested twice.
      expect(site.takePaths().sort()).toEqual(['/robots.txt', '/sitemap.xml', '/page0', ...paths].sort());
    } finally {
      await site.close();
    }
  },
  120_000,
);
