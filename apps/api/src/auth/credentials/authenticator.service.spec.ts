import { bearerOf } from './authenticator.service.ts';

describe('bearerOf', () => {
  it.each([['Bearer abc'], ['bearer abc'], ['Bearer   abc '], ['BEARER abc']])('reads %j', (header) =>
    expect(bearerOf(header)).toBe('abc'),
  );

  it.each([[undefined], [''], ['  ']])('says that it is missing: %j', (header) =>
    expect(() => bearerOf(header)).toThrow('A credential is missing'),
  );

  it.each([['Basic YTpi'], ['Bearer'], ['Bearer a b'], ['abc']])('refuses %j', (header) =>
    expect(() => bearerOf(header)).toThrow('Authorization must be Bearer followed by one credential'),
  );
});
