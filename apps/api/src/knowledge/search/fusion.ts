/** Weakens the difference between the first ranks, as in the paper of Cormack, Clarke, and Büttcher. */
const DAMPING = 60;

/** What several rankings have in common, with a score of 0 to 1. */
export interface Fused<Item> {
  item: Item;
  /** 1 for what is first in all of them. */
  score: number;
}

/**
 * Merges rankings by reciprocal rank fusion: only the positions count, because the scores of different methods cannot be
 * compared. What has the same key is the same; the first ranking that has it decides its order among equals.
 */
export function fuse<Item>(
  rankings: readonly (readonly Item[])[],
  keyOf: (item: Item) => string,
): Fused<Item>[] {
  const sums = new Map<string, Fused<Item>>();
  for (const ranking of rankings) {
    const seen = new Set<string>();
    for (const item of ranking) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      seen.add(key);
      const sum = sums.get(key) ?? { item, score: 0 };
      sum.score += 1 / (DAMPING + seen.size);
      sums.set(key, sum);
    }
  }
  const most = rankings.length / (DAMPING + 1);
  return [...sums.values()]
    .map(({ item, score }) => ({ item, score: Math.round((score / most) * 1_000) / 1_000, exact: score }))
    .sort((a, b) => b.exact - a.exact)
    .map(({ item, score }) => ({ item, score }));
}
