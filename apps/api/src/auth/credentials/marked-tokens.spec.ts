import { formatToken, MarkedTokens, parseToken } from './marked-tokens.ts';

describe('parseToken', () => {
  const id = '01980000-0000-7000-8000-000000000001';
  const secret = 'A'.repeat(43);

  it('takes id and secret apart', () => {
    expect(parseToken(`${id}.${secret}`)).toEqual({ id, secret });
  });

  it.each(['', id, `${id}.`, `x.${secret}`, `${id}.${secret}x`, `${id}.${secret}.${secret}`])(
    'refuses %j',
    (text) => expect(parseToken(text)).toBeNull(),
  );
});

describe('MarkedTokens', () => {
  const id = '01980000-0000-7000-8000-000000000001';
  const tokens = new MarkedTokens(Buffer.alloc(32, 1), 'test');

  it('recognizes what it has made, and nothing else', () => {
    const token = tokens.create(id);
    expect(parseToken(formatToken(token))).toEqual(token);
    const next = tokens.successorOf(token);
    expect(next).not.toEqual(token);
    expect(tokens.successorOf(token)).toEqual(next);
    for (const own of [token, next]) expect(tokens.isOurs(own)).toBe(true);
    const others = [
      { id, secret: 'A'.repeat(43) },
      { id: id.replace('1980', '1981'), secret: token.secret },
      new MarkedTokens(Buffer.alloc(32, 1), 'other').create(id),
      new MarkedTokens(Buffer.alloc(32, 2), 'test').create(id),
    ];
    expect(others.filter((other) => tokens.isOurs(other))).toEqual([]);
  });
});
