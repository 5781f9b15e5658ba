import { smallestIdAt, parseInstant, isInstant } from './instant.ts';

describe('isInstant', () => {
  it.each([
    ['2026-01-31T12:00:00Z'],
    ['2026-01-31T12:00Z'],
    ['2024-02-29T12:00:00Z'],
    ['2026-01-31T12:00:00.123+08:00'],
  ])('takes %s', (text) => expect(isInstant(text)).toBe(true));

  it.each([
    ['2026-01-31'],
    ['2026-01-31T12:00:00'],
    ['2026-13-31T12:00:00Z'],
    ['2026-02-30T12:00:00Z'],
    ['2026-01-31T12:00:00+24:00'],
    ['2026-W01'],
    ['now'],
    [1],
    [undefined],
  ])('refuses %s', (value) => expect(isInstant(value)).toBe(false));

  it('and gives SQL the moment itself, whatever its offset', () => {
    expect(parseInstant('2026-01-31T12:00:00+23:00')).toEqual(new Date('2026-01-30T13:00:00Z'));
    expect(parseInstant(undefined)).toBeNull();
  });
});

describe('smallestIdAt', () => {
  it.each([
    [Date.UTC(2026, 0, 1), '019b76da-a800-7000-8000-000000000000'],
    [-1, '00000000-0000-7000-8000-000000000000'],
    [Number.MAX_SAFE_INTEGER, 'ffffffff-ffff-7000-8000-000000000000'],
  ])('of %p is the first id of that moment', (ms, id) => expect(smallestIdAt(ms)).toBe(id));
});
