import type { TurnRow } from './turn.ts';

/** So long after its last turn, the content of an execution without memory is deleted. */
export const KEPT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;
const ENDED: readonly TurnRow['status'][] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Until when the content of a turn is kept at least, even if it ends now; null: as long as its session. */
export function keptUntil(
  { sessionExpires, status, finishedAt }: Pick<TurnRow, 'sessionExpires' | 'status' | 'finishedAt'>,
  now: Date,
): Date | null {
  if (!sessionExpires) return null;
  // A turn that waits for a person has a time, too.
  const end = ENDED.includes(status) ? (finishedAt ?? now) : now;
  return new Date(end.getTime() + KEPT_DAYS * DAY_MS);
}
