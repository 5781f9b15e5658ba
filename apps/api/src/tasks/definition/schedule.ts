import { SCHEDULE_OVERLAPS, type ScheduleOverlap, type TaskSchedule } from '@platform/contracts';
import { Cron } from 'croner';

/** A schedule that was late by more runs counts them up to here: each takes about 0.1 ms. */
export const MAX_MISSED = 1_000;
const MAX_CRON_LENGTH = 100;
/** Five fields. `?`, which stands for the time at which the pattern is read, would mean something else at each reading. */
const FIELDS = /^\s*(?:[0-9A-Za-z*/,#-]+\s+){4}[0-9A-Za-z*/,#-]+\s*$/;

/** Returns what is wrong with a cron pattern, or null. */
export function cronProblem(cron: unknown, now: Date): string | null {
  if (typeof cron !== 'string' || cron.length > MAX_CRON_LENGTH || !FIELDS.test(cron)) {
    return 'must have five fields: minute, hour, day of month, month, and day of week';
  }
  try {
    const next = parse({ cron, timezone: 'UTC' }).nextRun(now);
    return next === null ? 'must be due at some time: there is no such day' : null;
  } catch {
    return 'must have valid minutes, hours, days of month, months, and days of week';
  }
}

/** Returns what is wrong with a time zone, or null. */
export function timezoneProblem(timezone: unknown): string | null {
  const expected = 'must be the IANA name of a time zone, such as Europe/Berlin';
  // Offsets such as +02:00 are valid for Intl, but they are not names.
  if (typeof timezone !== 'string' || !/^[A-Za-z]/.test(timezone)) return expected;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return null;
  } catch {
    return expected;
  }
}

/** What becomes of a due time of a schedule that does not say it. */
export const DEFAULT_OVERLAP: ScheduleOverlap = 'queue-one';

/** Returns what is wrong with what a schedule does with overlapping runs, or null. */
export function overlapProblem(overlap: unknown): string | null {
  const isValid = overlap === undefined || (SCHEDULE_OVERLAPS as readonly unknown[]).includes(overlap);
  return isValid ? null : `must be one of ${SCHEDULE_OVERLAPS.join(', ')}`;
}

/** Returns the first due times of a valid schedule after a time. */
export function listDueTimes(schedule: TaskSchedule, after: Date, count: number): Date[] {
  return parse(schedule).nextRuns(count, after);
}

/** Returns the first due time of a valid schedule after a time, or null if it is never due again. */
export function nextDueTime(schedule: TaskSchedule, after: Date): Date | null {
  return parse(schedule).nextRun(after);
}

/**
 * Returns when a task whose definition is stored again is due next; null if its schedule is another one, or had no next time.
 * A time that has passed still waits for its run.
 */
export function keptDueTime(
  current: { schedule: TaskSchedule | null; nextDueAt: Date | null },
  { cron, timezone }: TaskSchedule,
): Date | null {
  const { schedule, nextDueAt } = current;
  return schedule?.cron === cron && schedule.timezone === timezone ? nextDueAt : null;
}

/** What is due of a schedule. */
export interface Due {
  /** The latest due time that has passed. */
  dueAt: Date;
  /** How many due times before it have passed, at most `MAX_MISSED`. */
  missed: number;
  /** The first due time that has not passed. */
  next: Date | null;
}

/** Returns what is due at a time, if the schedule was to run next at `nextDueAt`, which has passed. */
export function findDue(schedule: TaskSchedule, nextDueAt: Date, now: Date): Due {
  const cron = parse(schedule);
  const next = cron.nextRun(now);
  let missed = 0;
  let dueAt = nextDueAt;
  for (let at = cron.nextRun(dueAt); at !== null && at <= now; at = cron.nextRun(at)) {
    dueAt = at;
    if (++missed === MAX_MISSED) {
      // The reference time itself is not previous.
      const [latest] = cron.previousRuns(1, new Date(now.getTime() + 1));
      return { dueAt: latest ?? dueAt, missed, next };
    }
  }
  return { dueAt, missed, next };
}

function parse({ cron, timezone }: TaskSchedule): Cron {
  return new Cron(cron.trim(), { mode: '5-part', timezone, paused: true });
}
