/** Names of more characters are not compared. */
const MAX_LENGTH = 100;

/** Returns the name that was probably meant: the one with the fewest different characters; null if none is similar. */
export function nearestName(name: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let fewest = Math.floor(name.length / 2) + 1;
  for (const candidate of names) {
    if (Math.max(candidate.length, name.length) > MAX_LENGTH) continue;
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase());
    if (distance < fewest) [nearest, fewest] = [candidate, distance];
  }
  return nearest;
}

/** How many characters must be inserted, removed, or replaced. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
