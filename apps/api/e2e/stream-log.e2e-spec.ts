import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Sql } from '../src/infra/database/rows.ts';
import {
  findExpiredStreams,
  mergeFrames,
  PAGE_BYTES,
  purgeFrames,
  readHeads,
  readPage,
  readStates,
  readTails,
  takeOverStream,
} from '../src/streams/stream-log.store.ts';
import { connectToCopy } from './harness/app.ts';
import { Explained, type Cost } from './harness/explained.ts';

/** More rows than a page. */
const SHORT = 200;
const LONG = 20_000;
const ROW_BYTES = 2 * (140 + 20);
/** Ended streams that were purged long ago, and running ones. */
const OLD = 20_000;
const OPEN = 2_000;

let sql: DataSource;
const short = randomUUID();
const long = randomUUID();

beforeAll(async () => {
  // One connection, for `explain` undoes what it did.
  sql = await connectToCopy({ poolSize: 1 });
  await sql.query(
    `insert into stream (segment, fencing_token, lease_until, last_seq, ended_at, frames_kept)
     select 1, gen_random_uuid(), now(), 1, now() - interval '100 days', false from generate_series(1, $1::int)`,
    [OLD],
  );
  await sql.query(
    `insert into stream (segment, fencing_token, lease_until)
     select 1, gen_random_uuid(), now() + interval '1 hour' from generate_series(1, $1::int)`,
    [OPEN],
  );
  await store(short, SHORT);
  await store(long, LONG);
  await sql.query('vacuum analyze');
});
afterAll(() => sql.destroy());

/** A stream of so many rows of two frames each, about 300 bytes a row. */
async function store(id: string, count: number): Promise<void> {
  await sql.query(
    `insert into stream (id, segment, fencing_token, lease_until) values ($1, 1, gen_random_uuid(), now())`,
    [id],
  );
  const frame = (seq: string) => String.raw`format(E'id: 1.%s\ndata: %s\n\n', ${seq}, repeat('x', 140))`;
  await sql.query(
    `insert into stream_frame (stream_id, from_seq, to_seq, data)
     select $1, 2 * n - 1, 2 * n, convert_to(${frame('2 * n - 1')} || ${frame('2 * n')}, 'utf8')
     from generate_series(1, $2::int) n`,
    [id, count],
  );
}

/** What it costs in a short stream and in a long one. */
async function costs(work: (sql: Sql, id: string, rows: number) => Promise<unknown>): Promise<Cost[]> {
  const found: Cost[] = [];
  for (const [id, count] of [
    [short, SHORT],
    [long, LONG],
  ] as const) {
    const explained = new Explained(sql);
    await work(explained, id, count);
    found.push(explained.cost);
  }
  return found;
}

describe('the log of a long stream costs no more than that of a short one', () => {
  it.each([
    ['a page from the beginning', (sql: Sql, id: string) => readPage(sql, id, 0)],
    ['a page of the end', (sql: Sql, id: string, count: number) => readPage(sql, id, 2 * count - 100)],
    ['the middle of the last row', (sql: Sql, id: string, count: number) => readPage(sql, id, 2 * count - 1)],
    ['what comes after the end', (sql: Sql, id: string, count: number) => readPage(sql, id, 2 * count)],
    [
      'a poll without news',
      (sql: Sql, id: string, count: number) => readHeads(sql, new Map([[id, 2 * count]])),
    ],
    ['a poll with news', (sql: Sql, id: string) => readHeads(sql, new Map([[id, 1]]))],
    ['how far it has come', (sql: Sql, id: string) => readStates(sql, [id])],
    ['its latest frames', (sql: Sql, id: string) => readTails(sql, [id])],
  ])('%s', async (_, work) => {
    const [ofShort, ofLong] = await costs(work);
    expect(ofLong?.rows).toBeLessThanOrEqual((ofShort?.rows ?? 0) + 2);
    // A larger index is one level deeper.
    expect(ofLong?.blocks).toBeLessThanOrEqual((ofShort?.blocks ?? 0) + 20);
    expect(ofLong?.scanned).toEqual([]);
  });

  it('to be taken over', async () => {
    const [ofShort, ofLong] = await costs((sql, id) => takeOverStream(sql, id, randomUUID()));
    expect(ofLong?.rows).toBeLessThanOrEqual((ofShort?.rows ?? 0) + 2);
    expect(ofLong?.blocks).toBeLessThanOrEqual((ofShort?.blocks ?? 0) + 20);
    expect(ofLong?.scanned).toEqual([]);
  });
});

describe('a page of the log', () => {
  const seqs = (data: Buffer) =>
    [...data.toString().matchAll(/^id: 1\.(\d+)$/gm)].map(([, seq]) => Number(seq));

  /** All pages after a position. */
  async function pages(id: string, after: number) {
    const found = [];
    for (let page = await readPage(sql, id, after); page !== null;) {
      found.push(page);
      page = page.more ? await readPage(sql, id, page.toSeq) : null;
    }
    return found;
  }

  it('continues from every position, also within a row, before and after rows are merged', async () => {
    const id = randomUUID();
    await store(id, 600);
    const whole = (await pages(id, 0)).map(({ data }) => data);
    expect(seqs(Buffer.concat(whole))).toEqual(Array.from({ length: 1_200 }, (_, i) => i + 1));
    for (const merged of [false, true]) {
      if (merged) for (let from: number | null = 1; from !== null;) from = await mergeFrames(sql, id, from);
      for (const after of [0, 1, 2, 3, 254, 255, 256, 431, 432, 433, 900, 1_198, 1_199, 1_200, 1_201]) {
        const found = await pages(id, after);
        const data = Buffer.concat(found.map((page) => page.data));
        expect([merged, after, seqs(data)]).toEqual([
          merged,
          after,
          Array.from({ length: Math.max(0, 1_200 - after) }, (_, i) => after + 1 + i),
        ]);
        for (const page of found) expect(page.data.length).toBeLessThanOrEqual(PAGE_BYTES + ROW_BYTES);
        expect(found.at(-1)).toMatchObject({ toSeq: 1_200, lastSeq: null, more: false });
      }
    }
    const [row] = await sql.query<[{ count: number }]>(
      'select count(*)::int as count from stream_frame where stream_id = $1',
      [id],
    );
    expect(row.count).toBeLessThan(10);
  });

  it('of an unknown stream is null', async () => {
    expect(await readPage(sql, randomUUID(), 0)).toBeNull();
  });
});

describe('what has had its time', () => {
  it('is deleted in small batches that find it by an index', async () => {
    const old = [randomUUID(), randomUUID()];
    for (const id of old) await store(id, 1_500);
    await sql.query(
      `update stream set ended_at = now() - interval '8 days', last_seq = 3000 where id = any($1::uuid[])`,
      [old],
    );
    await sql.query('analyze');
    const kept = async () => Array.from((await readStates(sql, old)).values(), (state) => state.kept);
    expect(await kept()).toEqual([true, true]);
    const explained = new Explained(sql);
    expect(await purgeFrames(explained, 7)).toBe(true);
    // The first batch is of one stream, and takes its beginning.
    expect((await kept()).filter((still) => !still)).toHaveLength(1);
    while (await purgeFrames(explained, 7));
    expect(await kept()).toEqual([false, false]);
    expect(explained.cost.scanned).toEqual([]);
    for (const { rows } of explained.costs) expect(rows).toBeLessThan(4_000);
    const [left] = await sql.query<[{ count: number }]>('select count(*)::int as count from stream_frame');
    expect(left.count).toBeGreaterThanOrEqual(SHORT + LONG);
    expect(await purgeFrames(sql, 7)).toBe(false);
  });

  it('is found among thousands that live, were it a stream without a writer', async () => {
    await sql.query(`update stream set lease_until = now() - interval '1 minute' where id = $1`, [long]);
    const explained = new Explained(sql);
    await findExpiredStreams(explained);
    expect(explained.cost.scanned).not.toContain('stream');
    expect(explained.cost.rows).toBeLessThan(20);
  });
});
