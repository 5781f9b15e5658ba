import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);

interface PasswordHash {
  /** KiB. */
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  hash: Buffer;
}

// OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const HASH_BYTES = 32;

/** Takes as long to check as any other hash, and matches no password. */
const DUMMY: PasswordHash = { ...COST, salt: Buffer.alloc(16), hash: Buffer.alloc(HASH_BYTES) };

/** Hashes a password with argon2id: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await digest(password, { ...COST, salt }, HASH_BYTES);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** Whether the password matches the stored hash. `null` means an unknown account: it takes as long and never matches. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const expected = stored === null ? DUMMY : parse(stored);
  const actual = await digest(password, expected, expected.hash.length);
  return timingSafeEqual(actual, expected.hash) && stored !== null;
}

function digest(password: string, cost: Omit<PasswordHash, 'hash'>, tagLength: number): Promise<Buffer> {
  const { memory, passes, parallelism, salt: nonce } = cost;
  // Keyboards produce the same characters composed or decomposed.
  const message = password.normalize('NFKC');
  return derive('argon2id', { message, nonce, memory, passes, parallelism, tagLength });
}

function parse(stored: string): PasswordHash {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/-]+)\$([\w+/-]+)$/.exec(stored);
  if (!match) throw new Error('The stored password hash has an unknown format');
  const [, memory, passes, parallelism, salt = '', hash = ''] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
