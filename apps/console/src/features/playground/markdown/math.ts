/** Whether a text may contain formulas, so that the code for them has to be loaded. */
export function mayHaveMath(text: string): boolean {
  return text.includes('$$') || /\\[([]/.test(text) || FORMULA.test(text);
}

/** `$…$` as Pandoc reads it: no space inside the marks, and no digit after them, so that prices stay text. */
const FORMULA = /(?<![\\$\w])\$(?=[^\s$])([^$\n]{0,1000}?[^\s\\$])\$(?![\d$])/;
const FORMULAS = new RegExp(FORMULA, 'g');
/** Where code, or a formula in one of the other two ways of models, can begin. */
const STARTS = /`+|\\[([]/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Returns Markdown in which all formulas have the marks `$$`, the only ones that the parser is asked to read: a single
 * dollar is mostly money. Code stays as it is.
 */
export function markFormulas(text: string): string {
  return splitFences(text)
    .map(({ isCode, part }) => (isCode ? part : markOutsideCode(part)))
    .join('');
}

function markOutsideCode(text: string): string {
  const [lineEnd, inlineEnd, displayEnd] = ['\n', '\\)', '\\]'].map((mark) => finder(text, mark));
  const codeEnd = codeEndFinder(text);
  let end = 0;
  let marked = '';
  const put = (from: number, to: number, replacement: string) => {
    marked += markDollars(text.slice(end, from)) + replacement;
    end = to;
  };
  for (const { 0: start, index } of text.matchAll(STARTS)) {
    if (index < end) continue;
    const inner = index + start.length;
    if (start === '\\(' || start === '\\[') {
      const close = (start === '\\(' ? inlineEnd : displayEnd)?.(inner) ?? -1;
      const newline = lineEnd?.(inner) ?? -1;
      const formula = text.slice(inner, close).trim();
      if (close < 0 || formula === '') continue;
      if (start === '\\[') put(index, close + 2, `\n$$\n${formula}\n$$\n`);
      else if (newline < 0 || close < newline) put(index, close + 2, `$$${formula}$$`);
      continue;
    }
    const close = codeEnd(inner, start.length);
    if (close >= 0) put(index, close + start.length, text.slice(index, close + start.length));
  }
  return marked + markDollars(text.slice(end));
}

/** Returns a search that never reads a part of the text twice. It must be asked for increasing positions. */
function finder(text: string, mark: string): (from: number) => number {
  let found = -2;
  return (from) => {
    if (found === -1 || found >= from) return found;
    found = text.indexOf(mark, from);
    return found;
  };
}

/** Returns a search for the backticks that end code: as many as those that begin it. It reads the text once, too. */
function codeEndFinder(text: string): (from: number, count: number) => number {
  const places = new Map<number, number[]>();
  for (const { 0: mark, index } of text.matchAll(/`+/g)) {
    const same = places.get(mark.length);
    if (same === undefined) places.set(mark.length, [index]);
    else same.push(index);
  }
  for (const same of places.values()) same.reverse();
  return (from, count) => {
    const same = places.get(count) ?? [];
    while (same.length > 0 && (same.at(-1) as number) < from) same.pop();
    return same.at(-1) ?? -1;
  };
}

/** A function as the replacement, because `$` has a meaning in a text. */
const markDollars = (text: string): string =>
  text.replace(FORMULAS, (_, formula: string) => `$$${formula}$$`);

/** Splits a text into fenced code and what is around it. */
function splitFences(text: string): { isCode: boolean; part: string }[] {
  const parts: { isCode: boolean; part: string }[] = [];
  let fence: string | null = null;
  for (const line of text.split(/(?<=\n)/)) {
    const mark: string | undefined = FENCE.exec(line)?.[1];
    const isCode = fence !== null || mark !== undefined;
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
    const last = parts.at(-1);
    if (last?.isCode === isCode) last.part += line;
    else parts.push({ isCode, part: line });
  }
  return parts;
}
