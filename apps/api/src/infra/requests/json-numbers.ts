import { decimalOf } from '../runtime/decimal.ts';

/** The most numbers that are named. */
export const MAX_NUMBER_PROBLEMS = 1_000;
/** Shorter numbers without an exponent are exact. */
const MIN_DIGITS = 16;

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

/**
 * Returns the numbers of a JSON text in UTF-8 that a parser would change, with their paths: those that are too large, and
 * integers with more digits than a double holds. Takes one pass over the bytes, and does not check that the text is JSON.
 */
export function numberProblems(json: Uint8Array): string[] {
  const problems: string[] = [];
  const containers: Container[] = [];
  let text = { from: 0, to: 0 };
  for (let i = 0; i < json.length && problems.length < MAX_NUMBER_PROBLEMS; i++) {
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
      if (problem !== null) problems.push(`${pathOf(json, containers)} ${problem}`);
    }
  }
  return problems;
}

function problemOf(json: Uint8Array, from: number, to: number): string | null {
  if (to - from < MIN_DIGITS && !hasExponent(json, from, to)) return null;
  const number = textOf(json, from, to);
  const stored = Number(number);
  if (Number.isNaN(stored)) return null;
  if (!Number.isFinite(stored)) return 'is too large a number';
  const sent = decimalOf(number);
  const kept = decimalOf(String(stored));
  // Fractions are rounded, as everywhere.
  if (sent.exponent < 0 || (sent.digits === kept.digits && sent.exponent === kept.exponent)) return null;
  return `is an integer that a number cannot hold exactly: it would become ${stored}; send it as a string`;
}

function hasExponent(json: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (json[i] === 0x65 || json[i] === 0x45) return true;
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
