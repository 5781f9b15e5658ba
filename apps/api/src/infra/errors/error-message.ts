/** The greatest length of an error message in UTF-8. */
export const MAX_MESSAGE_BYTES = 4096;

const MAX_PROBLEM_BYTES = 1000;
const SEPARATOR = '; ';
/** Bytes reserved for the end of a list: "; … and 1234567 more". */
const REST_BYTES = 32;

export function unknownField(path: string): string {
  return `${path} is not a known field`;
}

/** Shortens a text to `maxBytes` in UTF-8; a shortened text ends in "…". */
export function shortened(text: string, maxBytes: number): string {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text.slice(0, maxBytes + 1)) <= maxBytes) return text;
  const room = new Uint8Array(maxBytes - Buffer.byteLength('…'));
  const { read } = new TextEncoder().encodeInto(text.slice(0, maxBytes), room);
  return `${text.slice(0, read)}…`;
}

/**
 * Joins problems into one message. Those that do not fit are counted: "a; b; … and 311 more". They can name any key of a
 * payload, so U+0000, which no column of type text can store, is replaced.
 */
export function joinProblems(problems: readonly string[]): string {
  const kept: string[] = [];
  let room = MAX_MESSAGE_BYTES - REST_BYTES;
  for (const problem of problems) {
    const text = shortened(problem.replaceAll('\0', '\ufffd'), MAX_PROBLEM_BYTES);
    room -= Buffer.byteLength(text) + SEPARATOR.length;
    if (room < 0) break;
    kept.push(text);
  }
  const omitted = problems.length - kept.length;
  return [...kept, ...(omitted > 0 ? [`… and ${omitted} more`] : [])].join(SEPARATOR);
}
