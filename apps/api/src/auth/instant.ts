import { ValidateBy } from 'class-validator';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Whether a text is one moment: an ISO 8601 date and time with its offset. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
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
