import { pipelined, rows } from './rows.ts';

const failed = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

describe('pipelined', () => {
  it('returns every result in order', async () => {
    expect(await pipelined(Promise.resolve('a'), null, Promise.resolve(2))).toEqual(['a', null, 2]);
  });

  it('throws the cause, not the failures that follow from it, whatever their order', async () => {
    await expect(pipelined(failed('25P02'), Promise.resolve(), failed('22021'))).rejects.toThrow('22021');
    await expect(pipelined(failed('23505'), failed('22021'))).rejects.toThrow('23505');
    await expect(pipelined(failed('25P02'))).rejects.toThrow('25P02');
  });

  it('waits for all before it throws', async () => {
    const last = Promise.withResolvers<void>();
    let ended = false;
    const all = pipelined(failed('22021'), last.promise).catch(() => (ended = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    last.resolve();
    await all;
    expect(ended).toBe(true);
  });
});

describe('rows', () => {
  const returning = (result: unknown) => ({ query: () => Promise.resolve(result) }) as never;

  it('names the columns in camelCase, and leaves what their values contain', async () => {
    const stored = {
      id: 'a',
      space_id: 'b',
      sha_256: null,
      payload: { order_id: 1 },
      tags: [{ tag_name: 'x' }],
    };
    const named = {
      id: 'a',
      spaceId: 'b',
      sha256: null,
      payload: { order_id: 1 },
      tags: [{ tag_name: 'x' }],
    };
    expect(await rows(returning([stored, stored]), 'select')).toEqual([named, named]);
    expect(await rows(returning([[stored], 1]), 'update')).toEqual([named]);
  });

  it('returns none for no rows, and for a statement without a result', async () => {
    expect(await rows(returning([]), 'select')).toEqual([]);
    expect(await rows(returning([[], 0]), 'delete')).toEqual([]);
    expect(await rows(returning(undefined), 'notify')).toEqual([]);
  });
});
