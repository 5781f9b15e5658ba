/** Repeatable random whole numbers below a bound; the seed is printed, and set by TEST_SEED. */
export function seededRandom(): (below: number) => number {
  let state = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.info(`TEST_SEED=${state}`);
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
