import { decodeCursor, encodeCursor, page } from './page.ts';

describe('a cursor', () => {
  const filter = { of: 'space', role: undefined };
  const cursor = encodeCursor(['2026-01-31', 7], filter);

  it('gives its position back under its filter', () => {
    expect(decodeCursor(cursor, filter)).toEqual(['2026-01-31', 7]);
    expect(decodeCursor(undefined, filter)).toBeNull();
  });

  it.each([
    ['under another filter', cursor, { of: 'other' }],
    ['that is no cursor', 'x', filter],
    ['whose position was altered', altered(cursor, ['now', 7]), filter],
    ['whose position was lengthened', altered(cursor, ['2026-01-31', 7, 8]), filter],
    ['whose position was cut off', altered(cursor, []), filter],
  ])('%s is refused', (_, given, under) => {
    expect(() => decodeCursor(given, under)).toThrow('cursor must be the nextCursor');
  });

  it('comes with a page that has a next one', () => {
    const cut = (fetched: number[]) =>
      page(
        fetched,
        2,
        filter,
        (n) => [n],
        (n) => n,
      );
    expect(cut([1, 2])).toEqual({ items: [1, 2], nextCursor: null });
    expect(cut([1, 2, 3])).toEqual({ items: [1, 2], nextCursor: encodeCursor([2], filter) });
  });
});

function altered(cursor: string, position: unknown[]): string {
  const [print] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
  return Buffer.from(JSON.stringify([print, ...position])).toString('base64url');
}
