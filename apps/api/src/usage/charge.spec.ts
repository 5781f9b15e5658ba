import { describe, expect, it } from '@jest/globals';
import { assertTokensAvailable, tokensToReserve, type Account } from './charge.ts';

describe('tokensToReserve', () => {
  it.each([
    [100, 50, 150],
    [100, 4096, 4196],
    [100, 4097, 4196],
    [100, null, 4196],
    [0, 0, 0],
  ])('prompt %p, at most %p: %p', (prompt, maxOutput, tokens) =>
    expect(tokensToReserve(prompt, maxOutput)).toBe(tokens),
  );
});

describe('assertSomethingLeft', () => {
  const space = (balance: number, held = 0): Account => ({ userId: null, balance, reserved: held });
  const user = (balance: number, held = 0): Account => ({ userId: 'u', balance, reserved: held });

  it.each<[string, Account[]]>([
    ['nothing is limited', []],
    ['one token is left', [space(1), user(1)]],
    ['one token is not held', [space(10, 9)]],
    ['only the user is limited', [user(5)]],
  ])('lets a call start where %s', (_, accounts) => {
    expect(() => assertTokensAvailable(accounts)).not.toThrow();
  });

  it.each<[string, Account[], string]>([
    ['the space has none', [space(0), user(5)], 'The token balance of the space is used up'],
    ['the user has none', [space(5), user(0)], 'The token balance of the user is used up'],
    ['the user owes', [user(-3)], 'The token balance of the user is used up'],
    ['both have none', [space(0), user(0)], 'The token balance of the space is used up'],
    [
      'all is held',
      [space(10, 10)],
      'The token balance of the space is reserved by running calls: 10 left, 10 reserved',
    ],
    [
      'more is reserved than left',
      [user(10, 4196)],
      'The token balance of the user is reserved by running calls: 10 left',
    ],
  ])('refuses where %s, and says whose balance it is', (_, accounts, message) => {
    expect(() => assertTokensAvailable(accounts)).toThrow(
      expect.objectContaining({
        code: 'INSUFFICIENT_TOKENS',
        status: 402,
        message: expect.stringContaining(message),
      }),
    );
  });
});
