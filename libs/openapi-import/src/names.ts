const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * Makes names of letters, digits, `_`, and `-`, of at most 64 characters, that differ even if case is ignored. A name
 * depends only on its own text and on equal names before it, so that a later import of the document finds its methods.
 */
export function uniqueNames(texts: readonly string[]): string[] {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return texts.map((text) => uniqueName(toName(text), taken, numbers));
}

/**
 * The name itself, or with a number if it is taken. Adds it to `taken`, in lowercase. `numbers`: the last number of each
 * name, so that thousands of equal names are not counted from the beginning each time.
 */
export function uniqueName(name: string, taken: Set<string>, numbers = new Map<string, number>()): string {
  let unique = name;
  let n = numbers.get(name.toLowerCase()) ?? 1;
  while (taken.has(unique.toLowerCase())) unique = shorten(name, `_${++n}`);
  if (n > 1) numbers.set(name.toLowerCase(), n);
  taken.add(unique.toLowerCase());
  return unique;
}

/** The text of which an operation is named: its id if that has only Latin letters, otherwise its verb and its path. */
export function nameTextOf(operationId: string, httpMethod: string, path: string): string {
  const id = withoutMarks(operationId);
  return /[A-Za-z0-9]/.test(id) && !hasOtherLetters(id) ? operationId : `${httpMethod}${path}`;
}

function toName(text: string): string {
  const latin = withoutMarks(text);
  const name = latin.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '');
  // The texts of different operations can have the same first characters, or differ only in letters that are left out.
  if (name.length > MAX_LENGTH || (name !== '' && hasOtherLetters(latin)))
    return shorten(name, `_${hash(text)}`);
  return name || `method_${hash(text)}`;
}

/** `é` becomes `e`. */
const withoutMarks = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');
const hasOtherLetters = (text: string) => /[^\P{L}A-Za-z]/u.test(text);

function shorten(name: string, suffix: string): string {
  return name.slice(0, MAX_LENGTH - suffix.length) + suffix;
}

/** FNV-1a with 32 bits, which is the same in browsers and Node.js, and synchronous. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(16).padStart(HASH_LENGTH, '0');
}
