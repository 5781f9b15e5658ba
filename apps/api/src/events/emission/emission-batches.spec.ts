import { setImmediate } from 'node:timers/promises';
import { EmissionBatches } from './emission-batches.ts';

interface Row {
  key: number;
  size?: number;
}

class Rejected extends Error {}

/** Batches that are written when the test says so. */
function batches(write?: (rows: readonly Row[]) => Promise<string[]>) {
  const written: number[][] = [];
  const gates: PromiseWithResolvers<undefined>[] = [];
  const subject = new EmissionBatches<Row, string>({
    write: async (rows) => {
      written.push(rows.map(({ key }) => key));
      if (write) return write(rows);
      const gate = Promise.withResolvers<undefined>();
      gates.push(gate);
      await gate.promise;
      return rows.map(({ key }) => `written ${key}`);
    },
    compare: (a, b) => a.key - b.key,
    sizeOf: ({ size = 1 }) => size,
    isSeparable: (error) => error instanceof Rejected,
  });
  const reach = async (index: number) => {
    while (gates[index] === undefined) await setImmediate();
    return gates[index];
  };
  const open = async (index: number) => (await reach(index)).resolve(undefined);
  return { subject, written, reach, open };
}

describe('batches of emissions', () => {
  it('collect while one is being written, in the order of their keys', async () => {
    const { subject, written, reach, open } = batches();
    const results = [5, 3, 4, 1].map((key) => subject.add({ key }));
    await open(0);
    expect(await results[0]).toBe('written 5');
    await reach(1);
    const late = subject.add({ key: 2 });
    await open(1);
    expect(await Promise.all(results)).toEqual(['written 5', 'written 3', 'written 4', 'written 1']);
    await open(2);
    expect(await late).toBe('written 2');
    expect(written).toEqual([[5], [1, 3, 4], [2]]);
  });

  it('are written beside another one once they are full, but never beside two', async () => {
    const { subject, written, reach, open } = batches();
    const add = (from: number, count: number) =>
      subject.addAll(Array.from({ length: count }, (_, i) => ({ key: from + i })));
    const results = [add(0, 1), add(100, 63)];
    expect(written.map(({ length }) => length)).toEqual([1]);
    results.push(add(200, 1), add(300, 100));
    expect(written.map(({ length }) => length)).toEqual([1, 64]);
    await open(1);
    await reach(2);
    await open(2);
    await open(0);
    expect((await Promise.all(results)).flat().every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(written.map(({ length }) => length)).toEqual([1, 64, 100]);
  });

  it('have at most 64 rows and a million characters, or one row that is larger', async () => {
    const { subject, written } = batches(async (rows) => rows.map(String));
    await Promise.all(Array.from({ length: 130 }, (_, key) => subject.add({ key })));
    expect(written.map(({ length }) => length)).toEqual([1, 64, 64, 1]);
    written.length = 0;
    await Promise.all(
      [0, 1, 2, 3, 4].map((key) => subject.add({ key, size: [1, 600_000, 600_000, 2_000_000, 1][key] ?? 1 })),
    );
    expect(written).toEqual([[0], [1], [2], [3], [4]]);
  });

  it('are separated when a row is rejected: the others are written', async () => {
    const { subject, written } = batches(async (rows) => {
      if (rows.some(({ key }) => key === 7)) throw new Rejected(`rejected ${rows.length}`);
      return rows.map(({ key }) => `written ${key}`);
    });
    const results = await Promise.allSettled([0, 6, 7, 8].map((key) => subject.add({ key })));
    expect(
      results.map((result) =>
        result.status === 'fulfilled' ? result.value : (result.reason as Error).message,
      ),
    ).toEqual(['written 0', 'written 6', 'rejected 1', 'written 8']);
    expect(written).toEqual([[0], [6, 7, 8], [6], [7], [8]]);
  });

  it('fail as a whole when the database is unavailable', async () => {
    const { subject, written } = batches(() => Promise.reject(new Error('gone')));
    const results = await Promise.allSettled([1, 2, 3].map((key) => subject.add({ key })));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(written).toEqual([[1], [2, 3]]);
  });

  it('go on while separated rows wait', async () => {
    const blocked = Promise.withResolvers<string[]>();
    const { subject } = batches((rows) => {
      if (rows.length > 1 && rows.some(({ key }) => key < 10)) return Promise.reject(new Rejected('locked'));
      return rows[0]?.key === 1 ? blocked.promise : Promise.resolve(rows.map(({ key }) => `written ${key}`));
    });
    const first = subject.add({ key: 0 });
    const waiting = [1, 2, 3].map((key) => subject.add({ key }));
    await first;
    expect(await Promise.all(waiting.slice(1))).toEqual(['written 2', 'written 3']);
    expect(await subject.add({ key: 20 })).toBe('written 20');
    blocked.resolve(['written 1']);
    expect(await waiting[0]).toBe('written 1');
  });

  it('keep rows together that come together, whatever their number', async () => {
    const { subject, written } = batches(async (rows) => rows.map(({ key }) => `written ${key}`));
    const many = Array.from({ length: 100 }, (_, key) => ({ key, size: 100_000 }));
    const [first, group] = await Promise.all([
      subject.add({ key: 200 }),
      subject.addAll(many),
      subject.addAll([{ key: 201 }]),
      subject.add({ key: 202 }),
      subject.addAll([]),
    ]);
    expect([first, group[99]]).toEqual(['written 200', { status: 'fulfilled', value: 'written 99' }]);
    expect(written).toEqual([[200], many.map(({ key }) => key), [201, 202]]);
  });

  it('tell for each row of a group what became of it', async () => {
    const { subject } = batches(async (rows) => {
      if (rows.some(({ key }) => key === 2)) throw new Rejected('rejected');
      return rows.map(({ key }) => `written ${key}`);
    });
    const results = await subject.addAll([{ key: 3 }, { key: 2 }, { key: 1 }]);
    expect(results).toMatchObject([
      { value: 'written 3' },
      { reason: { message: 'rejected' } },
      { value: 'written 1' },
    ]);
  });
});
