import { createHash } from 'node:crypto';
import { Cursors } from './cursors.ts';

describe('Cursors', () => {
  const cursors = new Cursors(Buffer.alloc(32, 1));
  const filter = { of: 'space', role: undefined };
  const cursor = cursors.encode(['2026-01-31', 7], filter);

  it('gives the position back under its filter', () => {
    expect(cursors.decode(cursor, filter)).toEqual(['2026-01-31', 7]);
    expect(cursors.decode(undefined, filter)).toBeNull();
  });

  it.each([
    ['under another filter', cursor, { of: 'other' }],
    ['that is no cursor', 'x', filter],
    ['that is empty', '', filter],
    ['whose position was altered', altered(cursor, ['now', 7]), filter],
    ['whose position was extended', altered(cursor, ['2026-01-31', 7, 8]), filter],
    ['whose position was removed', altered(cursor, []), filter],
    ['forged without the key', forged(['now', 7], filter), filter],
    ['of another installation', new Cursors(Buffer.alloc(32, 2)).encode(['2026-01-31', 7], filter), filter],
  ])('refuses a cursor %s', (_, given, under) => {
    expect(() => cursors.decode(given, under)).toThrow('cursor must be the nextCursor');
  });

  it('gives a page a cursor if there is a next page', () => {
    const cut = (fetched: number[]) =>
      cursors.page(
        fetched,
        2,
        filter,
        (n) => [n],
        (n) => n,
      );
    expect(cut([1, 2])).toEqual({ items: [1, 2], nextCursor: null });
    expect(cut([1, 2, 3])).toEqual({ items: [1, 2], nextCursor: cursors.encode([2], filter) });
  });
});

/** The tag of one cursor in front of another position. */
function altered(cursor: string, position: unknown[]): string {
  const tag = Buffer.from(cursor, 'base64url').subarray(0, 16);
  return Buffer.concat([tag, Buffer.from(JSON.stringify(position))]).toString('base64url');
}

/** What anybody can compute: a digest in place of the authentication code. */
function forged(position: unknown[], filter: unknown): string {
  const text = JSON.stringify(position);
  const tag = createHash('sha256')
    .update(JSON.stringify([filter, text]))
    .digest()
    .subarray(0, 16);
  return Buffer.concat([tag, Buffer.from(text)]).toString('base64url');
}
