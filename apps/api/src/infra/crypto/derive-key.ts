import { hkdfSync } from 'node:crypto';

/** A key of 32 bytes for one purpose, so that no two uses of the master key share one. */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}
