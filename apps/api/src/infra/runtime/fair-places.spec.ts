import fc from 'fast-check';
import { FairPlaces } from './fair-places.ts';

/** Takes for one owner until there is no more. */
function fill(places: FairPlaces, owner: string): number {
  let taken = 0;
  for (; places.canAcquire(owner); taken++) places.acquire(owner);
  return taken;
}

describe('FairPlaces', () => {
  it('gives one owner half of the places, two a third each, and always keeps one for a new owner', () => {
    const places = new FairPlaces(30);
    expect(fill(places, 'a')).toBe(15);
    expect(fill(places, 'b')).toBe(8);
    expect(fill(places, 'c')).toBe(4);
    expect(fill(places, 'd')).toBe(2);
    expect(fill(places, 'e')).toBe(1);
    expect(places.free).toBe(0);
    expect(fill(places, 'f')).toBe(0);
    places.release('a');
    expect(places.canAcquire('a')).toBe(false);
    expect(places.canAcquire('f')).toBe(true);
  });

  it('uses a single place', () => {
    const places = new FairPlaces(1);
    expect(fill(places, 'a')).toBe(1);
    places.release('a');
    expect([places.free, places.countOf('a')]).toEqual([1, 0]);
  });

  it('never gives more than there are, nor forgets one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 200 }),
        (size, steps) => {
          const places = new FairPlaces(size);
          const held: Record<string, number> = { a: 0, b: 0, c: 0 };
          for (const [owner, takes] of steps) {
            const has = held[owner] ?? 0;
            if (takes && places.canAcquire(owner)) {
              places.acquire(owner);
              held[owner] = has + 1;
            } else if (!takes && has > 0) {
              places.release(owner);
              held[owner] = has - 1;
            }
          }
          const sum = Object.values(held).reduce((total, one) => total + one, 0);
          expect(places.free).toBe(size - sum);
          expect(sum).toBeLessThanOrEqual(size);
          for (const [owner, has] of Object.entries(held)) expect(places.countOf(owner)).toBe(has);
        },
      ),
    );
  });
});
