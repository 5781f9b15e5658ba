import { randomUUID } from 'node:crypto';

let lastMs = 0;
let count = 0;

/**
 * Returns a time-ordered id, like `uuid_v7()` in the database, for a row whose id must be known before its
 * transaction. The ids of one process sort in the order of their creation.
 */
export function uuidV7(nowMs = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    count = 0;
  } else if (++count > 0xfff) {
    // With more than 4,096 in a millisecond, or a clock that was set back, the order matters more than the time.
    lastMs++;
    count = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  // Its random bytes are drawn from the system in large portions.
  const random = randomUUID().slice(19);
  return `${time.slice(0, 8)}-${time.slice(8)}-${(0x7000 | count).toString(16)}-${random}`;
}
