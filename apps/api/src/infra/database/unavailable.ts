import { setTimeout as delay } from 'node:timers/promises';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';

/**
 * SQLSTATEs that are not the fault of the statement: connections (08), resources such as connections, memory, and disk
 * (53), operator intervention (57P, and 57014 for a statement timeout), locks and conflicts that a retry resolves,
 * transactions that were idle too long, a read-only server (25), and disk errors (58).
 */
const TRANSIENT = /^(08...|53...|57P..|57014|55P03|55006|40001|40P01|25P03|25006|58030)$/;

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOSPC',
]);

/** Messages of the driver and its pool for errors without a code. */
const WORDS = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end',
  'The server does not support SSL connections',
];

/** Whether the database was unavailable or too slow. A retry may succeed, and the statement may have committed. */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 3) return false;
  // The connection of the transaction was lost.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: unknown };
  if (typeof code === 'string' && (TRANSIENT.test(code) || NETWORK.has(code))) return true;
  if (typeof message === 'string' && WORDS.some((words) => message.startsWith(words))) return true;
  if (error instanceof QueryFailedError) return isUnavailable(error.driverError, depth + 1);
  // Several addresses were tried.
  return Array.isArray(errors) && errors.some((one) => isUnavailable(one, depth + 1));
}

/** Whether a statement waited too long for a lock: nothing was stored. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '55P03';
}

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 2_000;

/**
 * Retries work for up to `ms` while the database is unavailable. Rejects with any other error, or with the reason of
 * the signal. The work must be repeatable, because it may have succeeded although it seemed to fail.
 */
export async function whileUnavailable<T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
  forMs = Infinity,
): Promise<T> {
  const end = performance.now() + forMs;
  for (let wait = FIRST_DELAY_MS; ; wait = Math.min(2 * wait, LAST_DELAY_MS)) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + wait > end) throw error;
    }
    await delay(wait, undefined, { signal }).catch(() => undefined);
  }
}
