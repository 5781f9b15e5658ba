declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** A number that `JSON.stringify` writes with these digits, also if no number holds them. */
export function rawNumber(digits: string): object {
  return JSON.rawJSON(digits);
}

/** Whether a value is a number that `rawNumber` made. */
export function isRawNumber(value: unknown): boolean {
  return JSON.isRawJSON(value);
}
