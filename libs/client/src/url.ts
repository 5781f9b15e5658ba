export type Query = Record<string, string | number | boolean | null | undefined>;

/** Template tag for paths. Every value becomes exactly one encoded segment; throws TypeError if it cannot. */
export function path(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return strings.reduce((done, part, i) => done + encodeSegment(values[i - 1] ?? '') + part);
}

// An empty or dotted segment would address another resource: URLs resolve `.` and `..` even if they are encoded.
function encodeSegment(value: string | number): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..') {
    throw new TypeError(`"${text}" cannot be used as an id`);
  }
  return encodeURIComponent(text);
}

/** Returns `?a=1&b=2` without absent values, or an empty string if there are none. */
export function formatQuery(query: Query = {}): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (present.length === 0) return '';
  return `?${new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** A list that can be limited to some ids: at most 200. */
export type WithIds<ListQuery> = Omit<ListQuery, 'ids'> & { ids?: readonly string[] | undefined };

/** Joins the ids as the service reads them. */
export function withIds({
  ids,
  ...query
}: Record<string, unknown> & { ids?: readonly string[] | undefined }): Query {
  return { ...(query as Query), ...(ids !== undefined && { ids: ids.join(',') }) };
}

/** Decodes a percent-encoded header value. Values that are not valid are returned unchanged. */
export function decodeHeader(value: string | null): string | null {
  try {
    return value === null ? null : decodeURIComponent(value);
  } catch {
    return value;
  }
}
