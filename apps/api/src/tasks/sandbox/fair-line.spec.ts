import { FairLine } from './fair-line.ts';

const never = new AbortController().signal;

/** Enters and notes when that has happened. */
function enter(line: FairLine<string>, owner: string, entered: string[], signal = never): Promise<void> {
  return line.enter(owner, signal).then(() => void entered.push(owner));
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('FairLine', () => {
  it('keeps a place for others, however many wait for one owner', async () => {
    const line = new FairLine<string>(4);
    const entered: string[] = [];
    for (let i = 0; i < 5; i++) void enter(line, 'a', entered);
    await settle();
    expect(entered).toEqual(['a', 'a']);
    void enter(line, 'b', entered);
    await settle();
    expect(entered).toEqual(['a', 'a', 'b']);
  });

  it('admits the owner with the fewest places, then who came first', async () => {
    const line = new FairLine<string>(1);
    const entered: string[] = [];
    for (const owner of ['a', 'b', 'a', 'c']) void enter(line, owner, entered);
    for (let left = 0; left < 4; left++) {
      await settle();
      line.leave(entered.at(-1) ?? '');
    }
    expect(entered).toEqual(['a', 'b', 'a', 'c']);
  });

  it('forgets who no longer waits', async () => {
    const line = new FairLine<string>(1);
    const entered: string[] = [];
    await enter(line, 'a', entered);
    const leaving = new AbortController();
    const refused = enter(line, 'b', entered, leaving.signal);
    void enter(line, 'c', entered);
    leaving.abort(new Error('gone'));
    await expect(refused).rejects.toThrow('gone');
    line.leave('a');
    await settle();
    expect(entered).toEqual(['a', 'c']);
    await expect(line.enter('d', leaving.signal)).rejects.toThrow('gone');
  });

  it('lets callers share a place of their owner, unless somebody else waits or the next one cannot share', async () => {
    const line = new FairLine<string>(1);
    await line.enter('a', never);
    expect(line.share('a')).toBeNull();
    const sharing = line.enter('a', never, true);
    expect(line.share('b')).toBeNull();
    line.share('a')?.('the place of a');
    await expect(sharing).resolves.toBe('the place of a');
    const alone = line.enter('a', never);
    void line.enter('a', never, true);
    expect(line.share('a')).toBeNull();
    line.leave('a');
    await expect(alone).resolves.toBeNull();
    void line.enter('b', never);
    expect(line.share('a')).toBeNull();
  });

  it('refuses everybody who waits', async () => {
    const line = new FairLine<string>(1);
    await line.enter('a', never);
    const waiting = line.enter('b', never);
    line.refuse(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
  });
});
