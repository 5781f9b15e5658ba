import { setTimeout as delay } from 'node:timers/promises';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';

/**
 * SQLSTATEs that say nothing against the statement: connections (08), resources such as connections, memory and disk
 * (53), an operator's doing (57P, 57014: the statement's time is over), locks and conflicts that a repetition passes,
 * transactions that were left open too long, a server that only reads (25), and trouble with its disk (58).
 */
const TRANSIENT = /^(08...|53...|57P..|57014|55P03|55006|40001|40P01|25P03|25006|58030)$/;

const NETWORK = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOSPC'],
]);

/** What the driver and its pool say where they give no code. */
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

/** Whether the database could not be asked, or not in time: the same may succeed later. It may also have happened. */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 3) return false;
  // The transaction's connection broke under it.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: unknown };
  if (typeof code === 'string' && (TRANSIENT.test(code) || NETWORK.has(code))) return true;
  if (typeof message === 'string' && WORDS.some((words) => message.startsWith(words))) return true;
  if (error instanceof QueryFailedError) return isUnavailable(error.driverError, depth + 1);
  // Several addresses were tried.
  return Array.isArray(errors) && errors.some((one) => isUnavailable(one, depth + 1));
}

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 2_000;

/**
 * Does work that needs the database, again and again while that is away, for so long; rejects with anything else, or
 * with the reason of the signal. The work may have succeeded though it seemed to fail: it has to bear being repeated.
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
