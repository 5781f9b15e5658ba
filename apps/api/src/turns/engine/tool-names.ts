import { createHash } from 'node:crypto';

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** The name of a tool as part of the names of its methods. */
export function toolNamePart(toolName: string): string {
  return toolName.replace(/[^A-Za-z0-9_-]+/g, '_');
}

/** The name under which a model calls a method: `<tool>__<method>`, at most 64 of `[A-Za-z0-9_-]`. */
export function modelToolName(tool: string, method: string): string {
  const name = `${tool}__${method}`;
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_');
  if (clean.length <= MAX_LENGTH && clean === name) return clean;
  // Two names that are alike once cleaned or cut must stay apart.
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${clean.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
