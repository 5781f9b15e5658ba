import { pipelined } from './rows.ts';

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
