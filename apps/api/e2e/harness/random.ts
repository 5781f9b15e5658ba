/** Repeatable random whole numbers below a bound. The seed is TEST_SEED, which tools/jest.mjs sets. */
export function seededRandom(): (below: number) => number {
  let state = Number(process.env.TEST_SEED ?? 1);
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
