import { decimalOf } from '../runtime/decimal.ts';

/** The most numbers that are named. */
export const MAX_NUMBER_PROBLEMS = 1_000;
/** Shorter numbers are exact, unless their exponent has three digits. */
const MIN_DIGITS = 16;
/** The most numbers that become strings: each takes a microsecond. */
const MAX_QUOTED = 100_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An array with the index of the current item, or an object with where its current key is. */
type Container = { index: number } | { from: number; to: number };

/** A number that a parser would change: where its text is, and what would become of it. */
interface InexactNumber {
  from: number;
  to: number;
  problem: string;
  /** Valid until the scan goes on. */
  path: () => string;
}

/**
 * Returns the numbers of a JSON text in UTF-8 that a parser would change, with their paths: those that are too large, and
 * integers with more digits than a double holds. Takes one pass over the bytes, and does not check that the text is JSON.
 */
export function numberProblems(json: Uint8Array): string[] {
  const problems: string[] = [];
  for (const { path, problem } of inexactNumbers(json)) {
    problems.push(`${path()} ${problem}`);
    if (problems.length === MAX_NUMBER_PROBLEMS) break;
  }
  return problems;
}

/**
 * Writes the numbers of a JSON text in UTF-8 that a parser would change as strings. Returns the new text, and the paths of
 * the first `maxPaths` of them; null if there are none. Throws a RangeError if there are too many.
 */
export function quoteInexactNumbers(
  json: Uint8Array,
  maxPaths: number,
): { json: Buffer; paths: string[]; count: number } | null {
  const paths: string[] = [];
  const ends: number[] = [];
  for (const { from, to, path } of inexactNumbers(json)) {
    if (paths.length < maxPaths) paths.push(path());
    ends.push(from, to);
    if (ends.length > 2 * MAX_QUOTED) throw new RangeError('too many inexact numbers');
  }
  if (ends.length === 0) return null;
  const quoted = Buffer.allocUnsafe(json.length + ends.length);
  let done = 0;
  for (const [i, end] of ends.entries()) {
    quoted.set(json.subarray(done, end), done + i);
    quoted[end + i] = QUOTE;
    done = end;
  }
  quoted.set(json.subarray(done), done + ends.length);
  return { json: quoted, paths, count: ends.length / 2 };
}

function* inexactNumbers(json: Uint8Array): Generator<InexactNumber> {
  const containers: Container[] = [];
  let text = { from: 0, to: 0 };
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] ?? 0;
    const inside = containers.at(-1);
    if (byte === QUOTE) {
      const from = i;
      for (i++; i < json.length && json[i] !== QUOTE; i++) if (json[i] === BACKSLASH) i++;
      text = { from, to: i + 1 };
    } else if (byte === COLON) {
      if (inside !== undefined && 'from' in inside) Object.assign(inside, text);
    } else if (byte === COMMA) {
      if (inside !== undefined && 'index' in inside) inside.index++;
    } else if (byte === OPEN_ARRAY) containers.push({ index: 0 });
    else if (byte === OPEN_OBJECT) containers.push({ from: 0, to: 0 });
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) containers.pop();
    else if (isDigit(byte) || byte === MINUS) {
      const from = i;
      while (isNumberPart(json[i + 1] ?? 0)) i++;
      const problem = problemOf(json, from, i + 1);
      if (problem !== null) yield { from, to: i + 1, problem, path: () => pathOf(json, containers) };
    }
  }
}

function problemOf(json: Uint8Array, from: number, to: number): string | null {
  if (to - from < MIN_DIGITS && !hasLargeExponent(json, from, to)) return null;
  return inexactNumberProblem(textOf(json, from, to));
}

/** Returns what would become of a number that a parser changes, by its text; null if it keeps it, and for other texts. */
export function inexactNumberProblem(number: string): string | null {
  const stored = Number(number);
  if (Number.isNaN(stored)) return null;
  if (!Number.isFinite(stored)) return 'is too large a number';
  const sent = decimalOf(number);
  const kept = decimalOf(String(stored));
  // Fractions are rounded, as everywhere.
  if (sent.exponent < 0 || (sent.digits === kept.digits && sent.exponent === kept.exponent)) return null;
  return `is an integer that a number cannot hold exactly: it would become ${stored}; send it as a string`;
}

/** Whether there is an exponent of at least three characters. Without, a short number is far from the largest. */
function hasLargeExponent(json: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to - 3; i++) if (json[i] === 0x65 || json[i] === 0x45) return true;
  return false;
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
/** A digit, or one of `+ - . e E`. */
const isNumberPart = (byte: number) =>
  isDigit(byte) || byte === 0x2b || byte === MINUS || byte === 0x2e || byte === 0x65 || byte === 0x45;

const textOf = (json: Uint8Array, from: number, to: number) =>
  Buffer.from(json.buffer, json.byteOffset + from, to - from).toString('utf8');

function pathOf(json: Uint8Array, containers: readonly Container[]): string {
  const path = containers.map((inside) =>
    'index' in inside ? `[${inside.index}]` : `.${keyOf(textOf(json, inside.from, inside.to))}`,
  );
  return path.join('').replace(/^\./, '');
}

function keyOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
