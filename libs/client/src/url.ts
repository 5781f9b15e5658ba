export type Query = Record<string, string | number | boolean | null | undefined>;

/** Template tag for paths: every value becomes exactly one encoded segment. */
export function path(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return strings.reduce((done, part, i) => done + segment(values[i - 1] ?? '') + part);
}

// An empty or dotted segment would name another resource: URLs resolve `.` and `..`, even encoded.
function segment(value: string | number): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..') {
    throw new TypeError(`"${text}" cannot be part of a path: an id is expected`);
  }
  return encodeURIComponent(text);
}

/** `?a=1&b=2`, leaving out what is absent; empty when nothing is left. */
export function queryString(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** Reads a name that travels percent-encoded, since headers hold ASCII alone. */
export function decodeHeader(value: string | null): string | null {
  try {
    return value === null ? null : decodeURIComponent(value);
  } catch {
    return value;
  }
}
