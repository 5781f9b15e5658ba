export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Unchanged lines that were left out. */
export interface SkippedLines {
  kind: 'skipped';
  count: number;
}

/** Unchanged lines that are shown before and after a change. */
const CONTEXT = 2;
/** Comparing two texts takes time in proportion to the product of their lines. Longer ones count as replaced. */
const MAX_PAIRS = 1_000_000;

/** Returns the lines of `after` with those of `before` that it no longer has. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...mark('same', after.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...mark('same', after.slice(after.length - end)),
  ];
}

/** Leaves out unchanged lines that are far from a change. */
export function skipUnchanged(lines: DiffLine[]): (DiffLine | SkippedLines)[] {
  const changed = lines.flatMap(({ kind }, i) => (kind === 'same' ? [] : [i]));
  const kept = new Set(
    changed.flatMap((i) => Array.from({ length: 2 * CONTEXT + 1 }, (_, k) => i - CONTEXT + k)),
  );
  const shown: (DiffLine | SkippedLines)[] = [];
  for (const [i, line] of lines.entries()) {
    const last = shown.at(-1);
    if (kept.has(i)) shown.push(line);
    else if (last?.kind === 'skipped') last.count++;
    else shown.push({ kind: 'skipped', count: 1 });
  }
  return shown;
}

function diffMiddle(before: string[], after: string[]): DiffLine[] {
  const replaced = [...mark('removed', before), ...mark('added', after)];
  if (before.length === 0 || after.length === 0 || before.length * after.length > MAX_PAIRS) return replaced;
  const common = countCommon(before, after);
  const lines: DiffLine[] = [];
  let [i, k] = [0, 0];
  while (i < before.length || k < after.length) {
    const [old, now] = [before[i], after[k]];
    if (old !== undefined && old === now) {
      lines.push({ kind: 'same', text: old });
      i++;
      k++;
    } else if (old !== undefined && (now === undefined || common(i + 1, k) >= common(i, k + 1))) {
      lines.push({ kind: 'removed', text: old });
      i++;
    } else if (now !== undefined) {
      lines.push({ kind: 'added', text: now });
      k++;
    }
  }
  return lines;
}

/** Returns a function for how many lines the texts have in common from two positions on, in the same order. */
function countCommon(before: string[], after: string[]): (i: number, k: number) => number {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  const at = (i: number, k: number) => table[i * width + k] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let k = after.length - 1; k >= 0; k--) {
      table[i * width + k] =
        before[i] === after[k] ? at(i + 1, k + 1) + 1 : Math.max(at(i + 1, k), at(i, k + 1));
    }
  }
  return at;
}

const mark = (kind: DiffLine['kind'], lines: string[]): DiffLine[] => lines.map((text) => ({ kind, text }));
