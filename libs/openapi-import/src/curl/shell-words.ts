import { ImportError } from '../types.ts';

const ANSI_ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/**
 * Splits the first command of a shell script into words, as a POSIX shell does: quotes, escapes, `$'…'`, comments, and
 * continued lines. Nothing is expanded or run: variables and substitutions stay as they are written.
 */
export function splitWords(script: string): string[] {
  const text = normalize(script);
  const words: string[] = [];
  let word: string | null = null;
  let i = 0;
  while (i < text.length) {
    const char = text.charAt(i);
    if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      // A command ends with its line.
      if (char === '\n' && words.length > 0) return words;
      i += 1;
    } else if (char === '\\') {
      if (text.charAt(i + 1) !== '\n') word = (word ?? '') + text.charAt(i + 1);
      i += 2;
    } else if (char === "'") {
      const end = text.indexOf("'", i + 1);
      if (end < 0) throw unclosed(char);
      word = (word ?? '') + text.slice(i + 1, end);
      i = end + 1;
    } else if (char === '"' || text.startsWith('$"', i)) {
      const quoted = readDoubleQuoted(text, char === '"' ? i + 1 : i + 2);
      word = (word ?? '') + quoted.value;
      i = quoted.end;
    } else if (text.startsWith("$'", i)) {
      const quoted = readAnsiQuoted(text, i + 2);
      word = (word ?? '') + quoted.value;
      i = quoted.end;
    } else if (word === null && char === '#') {
      while (i < text.length && text.charAt(i) !== '\n') i += 1;
      // `&` inside of a word is part of an address that somebody forgot to quote.
    } else if (/[|;<>]/.test(char) || (char === '&' && word === null)) {
      if (word !== null) words.push(word);
      return words;
    } else {
      word = (word ?? '') + char;
      i += 1;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

/** Commands that browsers write for cmd.exe escape with `^`, and those for PowerShell continue lines with a backtick. */
function normalize(script: string): string {
  const text = script.replaceAll('\r\n', '\n').trim();
  if (/^\S+ \^"|\^\n/.test(text)) return text.replaceAll('^\n', ' ').replace(/\^([\s\S])/g, '$1');
  return text.replaceAll('`\n', ' ');
}

function readDoubleQuoted(text: string, start: number): { value: string; end: number } {
  let value = '';
  for (let i = start; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') return { value, end: i + 1 };
    const next = text.charAt(i + 1);
    if (char !== '\\' || !['"', '\\', '$', '`', '\n'].includes(next)) value += char;
    else {
      if (next !== '\n') value += next;
      i += 1;
    }
  }
  throw unclosed('"');
}

function readAnsiQuoted(text: string, start: number): { value: string; end: number } {
  const escape = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/y;
  let value = '';
  let i = start;
  while (i < text.length) {
    const char = text.charAt(i);
    if (char === "'") return { value, end: i + 1 };
    escape.lastIndex = i;
    const match = char === '\\' ? escape.exec(text) : null;
    if (match === null) {
      value += char;
      i += 1;
      continue;
    }
    const [all, byte, short, long, octal, other] = match;
    const hex = byte ?? short ?? long;
    const code = hex !== undefined ? parseInt(hex, 16) : octal !== undefined ? parseInt(octal, 8) : null;
    if (code !== null) value += code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    else value += ANSI_ESCAPES[other ?? ''] ?? all;
    i += all.length;
  }
  throw unclosed("$'");
}

const unclosed = (quote: string) => new ImportError(`The command has a ${quote} without its end`);
