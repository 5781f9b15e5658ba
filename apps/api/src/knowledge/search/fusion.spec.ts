import { fuse } from './fusion.ts';

const order = (...rankings: string[][]) => fuse(rankings, (item) => item).map(({ item }) => item);

describe('fusion', () => {
  it('puts what both rankings have before what one of them has first', () => {
    expect(order(['a', 'b', 'c'], ['d', 'b', 'e'])).toEqual(['b', 'a', 'd', 'c', 'e']);
  });

  it('says 1 for what is first everywhere, and less for all else', () => {
    const fused = fuse([['a', 'b'], ['a']], (item) => item);
    expect(fused).toEqual([
      { item: 'a', score: 1 },
      { item: 'b', score: 0.492 },
    ]);
  });

  it('keeps the order of a single ranking', () => {
    expect(order(['c', 'a', 'b'])).toEqual(['c', 'a', 'b']);
    expect(order(['c', 'a', 'b'], [])).toEqual(['c', 'a', 'b']);
  });

  it('counts what a ranking repeats once, at its first position', () => {
    expect(fuse([['a', 'a', 'b'], ['b']], (item) => item)).toEqual(fuse([['a', 'b'], ['b']], (item) => item));
  });

  it('returns the item of the first ranking that has it', () => {
    const [first] = fuse([[{ id: 1, from: 'words' }], [{ id: 1, from: 'meaning' }]], ({ id }) => String(id));
    expect(first?.item.from).toBe('words');
  });

  it('has nothing without rankings', () => {
    expect(order()).toEqual([]);
    expect(order([], [])).toEqual([]);
  });
});
