import { randomBytes } from 'node:crypto';

let lastMs = 0;
let count = 0;

/**
 * A time-ordered id, as `uuid_v7()` of the database makes them, for a row whose id has to be known before its
 * transaction. The ids of one process sort in the order in which they were made.
 */
export function uuidV7(nowMs = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    count = 0;
  } else if (++count > 0xfff) {
    // More than 4,096 in a millisecond, or a clock that was set back: the order counts, not the time.
    lastMs++;
    count = 0;
  }
  const random = randomBytes(8);
  random[0] = 0x80 | ((random[0] ?? 0) & 0x3f);
  const hex = lastMs.toString(16).padStart(12, '0') + (0x7000 | count).toString(16) + random.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
