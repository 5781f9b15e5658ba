import { createHash } from 'node:crypto';

/** Returns the same id for the same parts: a UUID of version 8. */
export function namedUuid(...parts: readonly [string, ...string[]]): string {
  const name = parts.length === 1 ? parts[0] : JSON.stringify(parts);
  const bytes = createHash('sha256').update(name).digest();
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
