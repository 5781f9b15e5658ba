import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import { isUuid } from '../../infra/requests/ids.ts';

/** A token, `<id>.<secret>`. The id is not a secret. */
export interface ParsedToken {
  id: string;
  secret: string;
}

/** Half of a secret is its seed. The other half is a mark that only this service can make. */
const SEED_BYTES = 16;

/** Tokens of one purpose that name a row, each of which can have a successor. A forged one is recognized without a query. */
export class MarkedTokens {
  private readonly key: Buffer;
  private readonly markKey: Buffer;

  constructor(secretKey: Buffer, purpose: string) {
    this.key = deriveKey(secretKey, purpose);
    this.markKey = deriveKey(secretKey, `${purpose}-mark`);
  }

  /** Returns a new token. */
  create(id: string): ParsedToken {
    return { id, secret: this.secretOf(id, randomBytes(SEED_BYTES)) };
  }

  /** Derived from the token, so that concurrent requests with the same token receive the same successor. */
  successorOf({ id, secret }: ParsedToken): ParsedToken {
    const seed = createHmac('sha256', this.key).update(`${id}.${secret}`).digest().subarray(0, SEED_BYTES);
    return { id, secret: this.secretOf(id, seed) };
  }

  /** Whether this service made the token, some time. */
  isOurs({ id, secret }: ParsedToken): boolean {
    const bytes = Buffer.from(secret, 'base64url');
    const seed = bytes.subarray(0, SEED_BYTES);
    return timingSafeEqual(bytes.subarray(SEED_BYTES), this.markOf(id, seed));
  }

  private secretOf(id: string, seed: Buffer): string {
    return Buffer.concat([seed, this.markOf(id, seed)]).toString('base64url');
  }

  private markOf(id: string, seed: Buffer): Buffer {
    return createHmac('sha256', this.markKey).update(id.toLowerCase()).update(seed).digest().subarray(0, 16);
  }
}

/** Returns null if the text does not have the form of a token. */
export function parseToken(token: string): ParsedToken | null {
  const [id, secret, ...rest] = token.split('.');
  if (!isUuid(id) || secret === undefined || rest.length > 0) return null;
  return /^[\w-]{43}$/.test(secret) ? { id, secret } : null;
}

export const formatToken = ({ id, secret }: ParsedToken) => `${id}.${secret}`;
