import { uuidV7 } from './uuid-v7.ts';

describe('uuidV7', () => {
  it('is a UUID of version 7 that begins with the time', () => {
    const at = Date.UTC(2090, 0, 1);
    const id = uuidV7(at);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
  });

  it('sorts in the order of creation, also within a millisecond and when the clock is set back', () => {
    const at = Date.UTC(2091, 0, 1);
    const ids = Array.from({ length: 10_000 }, (_, i) => uuidV7(at - (i % 3)));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
