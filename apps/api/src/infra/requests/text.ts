import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

/** A text that PostgreSQL can store unchanged: without U+0000 and lone surrogates. */
export const IsText = (options?: ValidationOptions) =>
  text('isText', 'a text without U+0000 and lone surrogates', isText, options);

/** A text that is not blank and that PostgreSQL can store unchanged. */
export const IsFilledText = () =>
  text('isFilledText', 'a text that is not blank', (value) => isText(value) && value.trim() !== '');

/** A text that a header can carry, such as a key. */
export const IsHeaderText = () =>
  text(
    'isHeaderText',
    'a text that a header can carry, without line breaks',
    (value) => typeof value === 'string' && isHeaderValue(value),
  );

/** Whether a text can be sent in a header: Latin-1 without line breaks and other control characters. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}

function text(
  name: string,
  expected: string,
  validate: (value: unknown) => boolean,
  options?: ValidationOptions,
): PropertyDecorator {
  const defaultMessage = buildMessage((each) => `${each}$property must be ${expected}`, options);
  return ValidateBy({ name, validator: { validate, defaultMessage } }, options);
}
