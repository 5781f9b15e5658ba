import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './derive-key.ts';

/** The record and field that a secret belongs to. It can be decrypted only for the same ones. */
export interface SecretContext {
  spaceId: string;
  recordId: string;
  field: string;
}

const VERSION = 'v1';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const OVERHEAD_BYTES = IV_BYTES + TAG_BYTES;
const WRAPPED_KEY_BYTES = OVERHEAD_BYTES + KEY_BYTES;

/** Encrypts secrets at rest, each with its own data key, which is wrapped by the master key. */
export class SecretBox {
  private readonly wrappingKey: Buffer;

  constructor(masterKey: Buffer) {
    if (masterKey.length !== KEY_BYTES) throw new Error(`The master key must have ${KEY_BYTES} bytes`);
    this.wrappingKey = deriveKey(masterKey, 'secret-box');
  }

  /** Encrypts a text for one record and field: `v1.` and base64url of the wrapped key and the ciphertext. */
  seal(context: SecretContext, plaintext: string): string {
    const aad = additionalData(context);
    const dataKey = randomBytes(KEY_BYTES);
    const wrappedKey = encrypt(this.wrappingKey, aad, dataKey);
    const ciphertext = encrypt(dataKey, aad, Buffer.from(plaintext, 'utf8'));
    return `${VERSION}.${Buffer.concat([wrappedKey, ciphertext]).toString('base64url')}`;
  }

  /** Decrypts a text from `seal`. Throws if it was altered, or encrypted for another record or with another key. */
  open(context: SecretContext, sealed: string): string {
    const [version, body] = sealed.split('.');
    if (version !== VERSION || body === undefined) throw new Error('The sealed secret has an unknown format');
    const bytes = Buffer.from(body, 'base64url');
    try {
      const aad = additionalData(context);
      const dataKey = decrypt(this.wrappingKey, aad, bytes.subarray(0, WRAPPED_KEY_BYTES));
      return decrypt(dataKey, aad, bytes.subarray(WRAPPED_KEY_BYTES)).toString('utf8');
    } catch (cause) {
      throw new Error('The sealed secret cannot be opened here', { cause });
    }
  }
}

function additionalData({ spaceId, recordId, field }: SecretContext): Buffer {
  const parts = [spaceId, recordId, field];
  // A separator inside a part would give two records the same context.
  if (parts.some((part) => part.includes('|'))) throw new Error("A secret's context may not contain '|'");
  return Buffer.from(parts.join('|'), 'utf8');
}

function encrypt(key: Buffer, aad: Buffer, plaintext: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(aad);
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, aad: Buffer, sealed: Buffer): Buffer {
  const iv = sealed.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(aad)
    .setAuthTag(sealed.subarray(IV_BYTES, OVERHEAD_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(OVERHEAD_BYTES)), decipher.final()]);
}
