import { secretMatches, type ParsedKey } from '../../infra/crypto/api-tokens.ts';
import type { Holder } from '../principals/principal.ts';

interface KnownKey {
  secretHash: Buffer;
  holder: Holder;
}

const MAX_KEYS = 10_000;

/**
 * The holders of API keys that were valid at their last use. Says nothing about whether a key is valid now: only the
 * database knows that.
 */
export class KnownHolders {
  private readonly keys = new Map<string, KnownKey>();

  /** Returns the holder of a key, if its public id and its secret are known. */
  find({ publicId, secret }: ParsedKey): Holder | null {
    const known = this.keys.get(publicId);
    return known !== undefined && secretMatches(secret, known.secretHash) ? known.holder : null;
  }

  /** The key added first is forgotten first; a key that is used again is deleted and added. */
  add(publicId: string, key: KnownKey): void {
    const [oldest] = this.keys.keys();
    if (oldest !== undefined && this.keys.size >= MAX_KEYS) this.keys.delete(oldest);
    this.keys.set(publicId, key);
  }

  delete(publicId: string): void {
    this.keys.delete(publicId);
  }
}
