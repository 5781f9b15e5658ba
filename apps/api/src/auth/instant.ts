import { ValidateBy } from 'class-validator';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Whether a text is one moment: an ISO 8601 date and time with its offset. */
export function isInstant(value: unknown): value is string {
  return (
    typeof value === 'string' && INSTANT.test(value) && isDay(value.slice(0, 10)) && !isNaN(Date.parse(value))
  );
}

/** The moment of a text that `isInstant`, as SQL takes it: PostgreSQL knows neither the year 0 nor far offsets. */
export function instant(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text);
}

/** The smallest UUIDv7 of a moment in ms, for ranges over ids that were made at about the times of their rows. */
export function idAt(ms: number): string {
  const time = Math.min(Math.max(Math.trunc(ms), 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** `Date` takes 31 days in every month. */
function isDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/** One moment, for the fields of requests. */
export const IsInstant = () =>
  ValidateBy({
    name: 'isInstant',
    validator: {
      validate: isInstant,
      defaultMessage: () => '$property must be a time such as 2026-01-31T12:00:00Z',
    },
  });
