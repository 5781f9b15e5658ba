import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `pk`: a user's API key; `app`: an application's system key. */
export type KeyPrefix = 'pk' | 'app';

export interface ParsedKey {
  prefix: KeyPrefix;
  /** Identifies the key in the database and in lists. */
  publicId: string;
  secret: string;
}

export interface MintedKey {
  /** The complete key, which is shown once. */
  key: string;
  publicId: string;
  secretHash: Buffer;
}

// Only letters and digits, so that a double click selects the complete key.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PUBLIC_ID_LENGTH = 12;
/** 214 bits. */
const SECRET_LENGTH = 36;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(
  `^(pk|app)_([0-9A-Za-z]{${PUBLIC_ID_LENGTH}})([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

/** Creates a key: `<prefix>_<public id><secret><checksum>`. */
export function mintKey(prefix: KeyPrefix): MintedKey {
  const publicId = randomText(PUBLIC_ID_LENGTH);
  const secret = randomText(SECRET_LENGTH);
  const key = `${prefix}_${publicId}${secret}${checksum(prefix, publicId, secret)}`;
  return { key, publicId, secretHash: hashSecret(secret) };
}

/** Parses a key. Returns null if its form or checksum is wrong, so that a typo causes no database query. */
export function parseKey(text: string): ParsedKey | null {
  const [, prefix, publicId, secret, sum] = FORM.exec(text) ?? [];
  if ((prefix !== 'pk' && prefix !== 'app') || publicId === undefined || secret === undefined) return null;
  return sum === checksum(prefix, publicId, secret) ? { prefix, publicId, secret } : null;
}

/** SHA-256. A fast hash is sufficient for a secret of more than 192 random bits. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares in constant time. */
export function secretMatches(secret: string, secretHash: Buffer): boolean {
  const actual = hashSecret(secret);
  return actual.length === secretHash.length && timingSafeEqual(actual, secretHash);
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

function checksum(prefix: KeyPrefix, publicId: string, secret: string): string {
  let rest = crc32(`${prefix}_${publicId}${secret}`);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
