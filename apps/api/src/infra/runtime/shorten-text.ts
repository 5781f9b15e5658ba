/** Half of a character, where a text was cut. */
const HALF = /[\uD800-\uDBFF]$/;

/** Shortens a text to so many UTF-16 code units; a shortened text ends in "…". */
export function shortenText(text: string, length: number): string {
  if (text.length <= length) return text;
  const beginning = text.slice(0, length - 1).replace(HALF, '');
  return `${beginning.toWellFormed()}…`;
}
