import { hkdfSync } from 'node:crypto';

/** Derives a key of 32 bytes for one purpose, so that no two purposes share a key. */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}
