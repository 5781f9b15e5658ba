import { decimalOf, isMultipleOf } from './decimal.ts';

describe('decimal numbers', () => {
  it.each([
    ['19.990', '1999', -2],
    ['-0.00', '', 0],
    ['1e400', '1', 400],
    ['001200E-1', '12', 1],
    ['1.5e+300', '15', 299],
  ])('are read: %s', (text, digits, exponent) => {
    expect(decimalOf(text)).toEqual({ digits, exponent });
  });

  it.each([
    [19.99, 0.01, true],
    [19.995, 0.01, false],
    [-19.99, 0.01, true],
    [0.3, 0.1, true],
    [1.1, 0.1, true],
    [0, 0.01, true],
    [4, 2, true],
    [5, 2, false],
    [1e308, 0.01, true],
    [1e308, 3, false],
    [5e-324, 1e308, false],
    [1e308, 5e-324, true],
    [1e22, 7, false],
    [Infinity, 1, false],
    [1, Infinity, false],
    [1, 0, false],
  ])('%d is a multiple of %d: %s', (value, factor, expected) => {
    expect(isMultipleOf(value, factor)).toBe(expected);
  });
});
