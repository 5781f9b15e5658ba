import pg from 'pg';
import { copyTemplate } from './harness/app.ts';
import { verifies } from './verifies.ts';

describe('uuid_v7()', () => {
  let client: pg.Client;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: await copyTemplate() });
    await client.connect();
  });

  afterAll(() => client.end());

  async function makeId(): Promise<string> {
    const { rows } = await client.query<{ id: string }>('select uuid_v7() as id');
    return rows[0]?.id ?? '';
  }

  verifies('database.ids', 'makes ids that sort, also within one millisecond', async () => {
    const ids: string[] = [];
    while (ids.length < 1_000) ids.push(await makeId());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  verifies('database.ids', 'makes UUIDs of version 7 that carry the time', async () => {
    const { rows } = await client.query<{ before: number; id: string; after: number }>(`
      select extract(epoch from statement_timestamp())::float8 * 1000 as before, uuid_v7() as id,
        extract(epoch from clock_timestamp())::float8 * 1000 as after`);
    const [{ before, id, after } = { before: 0, id: '', after: 0 }] = rows;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const madeAt = parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(madeAt).toBeGreaterThanOrEqual(Math.floor(before));
    expect(madeAt).toBeLessThanOrEqual(after);
  });
});
