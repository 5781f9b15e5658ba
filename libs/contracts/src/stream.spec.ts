import { PRODUCT_EVENT, WIRE_EVENT } from './stream.ts';

describe('the names of product events', () => {
  it('stand on the wire with dashes, and are found again', () => {
    const names = Object.keys(WIRE_EVENT) as (keyof typeof WIRE_EVENT)[];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      expect(WIRE_EVENT[name]).toBe(name.replaceAll(/[._]/g, '-'));
      expect(PRODUCT_EVENT[WIRE_EVENT[name]]).toBe(name);
    }
    expect(Object.keys(PRODUCT_EVENT)).toHaveLength(names.length);
  });
});
