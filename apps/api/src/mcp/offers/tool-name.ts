import { createHash } from 'node:crypto';

/** MCP clients accept no longer names. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** The names that offers cannot have: those of the tools that are no offers. */
export const GET_RESULT = 'get_result';
export const CANCEL = 'cancel';
export const SEARCH_DOCUMENTS = 'search_documents';

/**
 * Makes a name such as `ask_travel_planner`, of at most 64 of `[A-Za-z0-9_-]`, that differs from those that are taken. A
 * name that needs other characters, or that is taken, ends in a hash of the id.
 */
export function toolName(verb: 'ask' | 'run', name: string, id: string, taken: ReadonlySet<string>): string {
  const words = name.normalize('NFKC').toLowerCase().trim();
  const clean = words.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  const plain = `${verb}_${clean}`;
  const isWhole = clean !== '' && /^[\x20-\x7e]*$/.test(words) && plain.length <= MAX_LENGTH;
  if (isWhole && !taken.has(plain)) return plain;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_LENGTH - HASH_LENGTH - 1).replace(/_+$/, '')}_${hash}`;
}
