/** Shortens a text to so many UTF-16 code units; a shortened text ends in "…". */
export function shortenText(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
}
