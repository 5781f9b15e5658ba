import { ValidateBy } from 'class-validator';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Whether a value is a point in time: an ISO 8601 date and time with its offset. */
export function isInstant(value: unknown): value is string {
  return (
    typeof value === 'string' && INSTANT.test(value) && isDay(value.slice(0, 10)) && !isNaN(Date.parse(value))
  );
}

/** Parses a text that `isInstant`. SQL receives a `Date` because PostgreSQL accepts neither the year 0 nor large offsets. */
export function parseInstant(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text);
}

/** The smallest UUIDv7 of a time in ms, for ranges over ids that are about as old as their rows. */
export function smallestIdAt(ms: number): string {
  const time = Math.min(Math.max(Math.trunc(ms), 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** The time of a UUIDv7 in ms. */
export function timeOfId(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** `Date` accepts 31 days in every month. */
function isDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/** Validates a field that is a point in time. */
export const IsInstant = () =>
  ValidateBy({
    name: 'isInstant',
    validator: {
      validate: isInstant,
      defaultMessage: () => '$property must be a time such as 2026-01-31T12:00:00Z',
    },
  });
