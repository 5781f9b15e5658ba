/** An entry of the command menu. */
export interface Ranked {
  label: string;
  /** Further words by which it is found. */
  words?: string;
}

/**
 * Returns the entries that contain every word of the text, the best first: those whose name begins with it, then those
 * with a word that does, then the rest, each in their order.
 */
export function rank<T extends Ranked>(entries: readonly T[], text: string): T[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...entries];
  return entries
    .map((entry, i) => ({ entry, i, score: scoreOf(entry, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.i - b.i)
    .map(({ entry }) => entry);
}

function scoreOf({ label, words = '' }: Ranked, wanted: readonly string[]): number {
  const name = label.toLowerCase();
  const all = `${name} ${words.toLowerCase()}`;
  if (!wanted.every((word) => all.includes(word))) return 0;
  const [first = ''] = wanted;
  if (name.startsWith(first)) return 3;
  return ` ${all}`.includes(` ${first}`) ? 2 : 1;
}
