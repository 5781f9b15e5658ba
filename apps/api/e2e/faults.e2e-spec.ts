import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { Turn } from '@platform/contracts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { scaled } from './faults/scale.ts';
import { createDatabase, TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, eventNames, framesIn, readStream, textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { ServiceProcess } from './harness/process.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

const STREAMED = { 'X-Platform-Stream-Protocol': 'langgraph-v3' };
/** Long enough for a busy process to renew its leases in time. */
const LEASE_MS = 5_000;
/** 100 words at 25 ms: a turn of some seconds. */
const CUTS = scaled('STREAM_CUTS', { quick: 200, slow: 1_000 });
/** Each takes seconds to start. */
const STARTS = scaled('CONCURRENT_STARTS', { quick: 2, slow: 4 });
const WORDS = Array.from({ length: 100 }, (_, i) => `word${i} `);

describe('faults', () => {
  let app: TestApp;
  let openai: FakeOpenAiServer;
  let agentId: string;
  let keys: string[];
  let calls = 0;

  beforeAll(async () => {
    openai = await startOpenAiServer({ behavior: { text: WORDS, paceMs: 25 } });
    app = await TestApp.start({ env: { PLATFORM_STREAM_LEASE_MS: String(LEASE_MS) } });
    await app.client().models.create({ name: 'paced', baseUrl: openai.url, apiKey: 'k' });
    const agent = await app.client().agents.create({ name: 'Paced', model: 'paced', systemPrompt: 'x' });
    agentId = agent.id;
    const made = await Promise.all(
      [1, 2, 3, 4].map((n) => app.client().apiKeys.create({ name: `key ${n}`, scopes: ['invoke'] })),
    );
    keys = made.map(({ key }) => key);
  });

  afterAll(async () => {
    await app.close();
    await openai.close();
  });

  const neighbour = () =>
    ServiceProcess.spawn({
      DATABASE_URL: app.databaseUrl,
      PLATFORM_SECRET_KEY: app.secretKey,
      PLATFORM_STREAM_LEASE_MS: String(LEASE_MS),
      PLATFORM_DATA_DIR: app.dataDir,
    });

  const startOn = (url: string, turnId: string, signal?: AbortSignal) =>
    fetch(`${url}/api/agents/${agentId}/chat`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${app.admin.apiKey}`,
        'Content-Type': 'application/json',
        ...STREAMED,
      },
      body: JSON.stringify({ turnId, contents: [{ type: 'text', text: 'Go' }] }),
      signal,
    });

  const turnOf = async (turnId: string) =>
    (await app.request<Turn>('GET', `/api/agents/${agentId}/turns/${turnId}`)).body;

  const replay = async (turnId: string, query = '') =>
    readStream(await app.fetch('GET', `/api/agents/${agentId}/turns/${turnId}/stream${query}`));

  verifies(
    'turn.crash',
    'kill -9 in the middle of 20 turns: every stream ends, nothing hangs, a re-run completes',
    async () => {
      const service = await (await neighbour()).ready();
      // In the middle, however long it takes until all of them are there.
      const unfinished = { text: WORDS, paceMs: 25, pauseAfter: { chunks: 40, until: gate().opened } };
      openai.nextBehavior(...Array.from({ length: 20 }, () => unfinished));
      const turnIds = Array.from({ length: 20 }, () => randomUUID());
      const streams = await Promise.all(turnIds.map((turnId) => startOn(service.url, turnId)));
      const cut = Promise.allSettled(streams.map((stream) => stream.text()));
      await eventually(async () => {
        const [{ count }] = (await app.sql<{ count: number }>(
          `select count(distinct stream_id)::int as count from stream_frame where to_seq > 6`,
        )) as [{ count: number }];
        expect(count).toBeGreaterThanOrEqual(20);
      });
      await service.kill();
      await cut;

      await eventually(async () => {
        const running = await app.sql(`select id from turn where status = 'RUNNING'`);
        expect(running).toHaveLength(0);
      });
      for (const turnId of turnIds) {
        const { frames } = await replay(turnId);
        expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, i) => i + 1));
        expect(eventNames(frames).slice(-2)).toEqual(['error-occurred', 'stream-ended']);
        expect(eventData(frames, 'error-occurred')).toMatchObject({
          code: 'INTERRUPTED',
          retryable: true,
          turnId,
        });
        expect(textOf(frames).length).toBeGreaterThan(0);
        expect(await turnOf(turnId)).toMatchObject({ status: 'FAILED', error: { code: 'INTERRUPTED' } });
      }

      const [first = ''] = turnIds;
      const again = await readStream(await startOn(app.url, first));
      expect(eventData(again.frames, 'session-started')).toMatchObject({ segment: 2 });
      expect(textOf(again.frames)).toBe(WORDS.join(''));
      expect((await turnOf(first)).segments).toMatchObject([
        { segment: 1, origin: 'start', ended: true },
        { segment: 2, origin: 'rerun', ended: true },
      ]);
    },
  );

  verifies(
    'turn.shutdown',
    'SIGTERM: a running turn ends well, readiness is gone meanwhile, the process exits with 0',
    async () => {
      const service = await (await neighbour()).ready();
      const turnId = randomUUID();
      const { opened, open } = gate();
      openai.nextBehavior({ text: WORDS, pauseAfter: { chunks: 40, until: opened } });
      const stream = await startOn(service.url, turnId);
      service.signal('SIGTERM');
      await eventually(async () => {
        expect((await fetch(`${service.url}/api/health/ready`)).status).toBe(503);
      });
      open();
      const { frames } = await readStream(stream);
      expect(textOf(frames)).toBe(WORDS.join(''));
      expect(eventNames(frames).slice(-2)).toEqual(['response-completed', 'stream-ended']);
      expect(await service.exit()).toBe(0);
      expect(await turnOf(turnId)).toMatchObject({ status: 'COMPLETED' });
    },
  );

  verifies('platform.migrations', 'several processes start at once on one empty database', async () => {
    const databaseUrl = await createDatabase();
    const services = await Promise.all(
      Array.from({ length: STARTS }, () =>
        ServiceProcess.spawn({
          DATABASE_URL: databaseUrl,
          PLATFORM_SECRET_KEY: app.secretKey,
          PLATFORM_DATA_DIR: app.dataDir,
        }),
      ),
    );
    try {
      await Promise.all(services.map((service) => service.ready()));
      // One of them made the first admin and says so; the others found it.
      await eventually(async () =>
        expect(services.filter(({ printed }) => printed.includes('is ready'))).toHaveLength(STARTS),
      );
    } finally {
      await Promise.all(services.map((service) => service.kill()));
    }
  });

  verifies(
    'stream.reattach',
    'a socket cut at random bytes and re-attached gives the log, during the turn and after it',
    async () => {
      const turnId = randomUUID();
      openai.nextBehavior({ text: Array.from({ length: 300 }, (_, i) => `${i}é😀 `), paceMs: 10 });
      const started = startOn(app.url, turnId).then(readStream);
      await eventually(async () => expect((await turnOf(turnId)).status).toBe('RUNNING'));

      const random = seededRandom();
      let received = '';
      let cuts = 0;
      for (; !received.includes('stream-ended'); cuts++) {
        received += wholeFrames(await cutAfter(turnId, lastSeq(received), 1 + random(8_000)));
      }
      const { bytes: whole } = await started;
      // Compared by identity: a diff of two whole logs would take minutes to print.
      expect(received === whole).toBe(true);

      const log = Buffer.from(whole);
      for (; cuts < CUTS; cuts++) {
        const head = wholeFrames(log.subarray(0, random(log.length - 200)).toString('utf8'));
        const tail = await cutAfter(turnId, lastSeq(head), Infinity);
        expect(head + tail === whole).toBe(true);
      }
    },
  );

  /** Reads a stream until so many bytes came, then destroys the socket. */
  function cutAfter(turnId: string, after: number, bytes: number): Promise<string> {
    const path = `/api/agents/${agentId}/turns/${turnId}/stream?segment=1&after=${after}`;
    // One key may call 1,200 times a minute.
    const key = keys[calls++ % keys.length] ?? '';
    return new Promise((resolve, reject) => {
      const call = request(`${app.url}${path}`, {
        headers: { Authorization: `Bearer ${key}` },
        agent: false,
      });
      call.once('error', reject);
      call.once('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`));
        const chunks: Buffer[] = [];
        let size = 0;
        const done = () => resolve(Buffer.concat(chunks).subarray(0, bytes).toString('utf8'));
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size < bytes) return;
          response.destroy();
          done();
        });
        response.once('end', done);
      });
      call.end();
    });
  }
});

/** What a client keeps of bytes that may end anywhere: whole frames, no heartbeats. */
function wholeFrames(bytes: string): string {
  const text = bytes.replaceAll(/^:\n\n/gm, '');
  const end = text.lastIndexOf('\n\n');
  return end < 0 ? '' : text.slice(0, end + 2);
}

function lastSeq(bytes: string): number {
  return framesIn(bytes).at(-1)?.seq ?? 0;
}
