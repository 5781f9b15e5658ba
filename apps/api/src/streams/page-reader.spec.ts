import { PageReader } from './page-reader.ts';

const ROW = Buffer.from('id: 1.1\ndata: {}\n\n');

/** A log whose streams all have frames without end, one a row. */
class FakeLog {
  readonly asked: string[] = [];
  underWay = 0;
  most = 0;

  async query<T>(_: string, [id, after]: [string, number]): Promise<T> {
    this.asked.push(`${id}:${after}`);
    this.most = Math.max(this.most, ++this.underWay);
    await new Promise((resolve) => setImmediate(resolve));
    this.underWay--;
    return [{ lastSeq: null, head: 1e6, fromSeq: after + 1, toSeq: after + 1, data: ROW }] as T;
  }
}

const never = new AbortController().signal;

describe('readers of the log', () => {
  it('of one place of a stream share one reading of it', async () => {
    const log = new FakeLog();
    const reader = new PageReader(log);
    const pages = await Promise.all(
      Array.from({ length: 200 }, (_, i) => reader.read('s', 0, `user ${i}`, never)),
    );
    expect(new Set(pages).size).toBe(1);
    expect(log.asked).toEqual(['s:0']);
  });

  it('of hundreds of streams have a few pages at a time between them', async () => {
    const log = new FakeLog();
    const reader = new PageReader(log);
    await Promise.all(Array.from({ length: 200 }, (_, i) => reader.read(`s${i}`, 0, 'user', never)));
    expect(log.asked).toHaveLength(200);
    expect(log.most).toBeLessThanOrEqual(8);
  });

  it('take turns: one user’s hundreds do not hold up another’s one', async () => {
    const log = new FakeLog();
    const reader = new PageReader(log);
    const many = Array.from({ length: 200 }, (_, i) => reader.read(`s${i}`, 0, 'many', never));
    const one = reader.read('mine', 0, 'one', never);
    await Promise.all([...many, one]);
    expect(log.asked.indexOf('mine:0')).toBeLessThanOrEqual(16);
  });

  it('who have left are not read for', async () => {
    const log = new FakeLog();
    const reader = new PageReader(log);
    const left = new AbortController();
    const pages = Array.from({ length: 200 }, (_, i) => reader.read(`s${i}`, 0, 'user', left.signal));
    left.abort();
    expect(await Promise.all(pages)).toContain(null);
    expect(log.asked.length).toBeLessThanOrEqual(8);
  });

  it('meet the failure of a reading they share, and may read again', async () => {
    let fails = true;
    const log = new FakeLog();
    const query = log.query.bind(log);
    log.query = async <T>(text: string, values: [string, number]) => {
      if (fails) throw new Error('gone');
      return query<T>(text, values);
    };
    const reader = new PageReader(log);
    const both = await Promise.allSettled([reader.read('s', 0, 'a', never), reader.read('s', 0, 'b', never)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await reader.read('s', 0, 'a', never)).toMatchObject({ toSeq: 1, more: true });
  });
});
