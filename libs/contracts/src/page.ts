/** One page of a list, newest items first. `nextCursor` is null on the last page. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export interface PageQuery {
  /** 1 to 200, default 50. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page, with the same filter. */
  cursor?: string | undefined;
}

/** The lists of the console whose filters can be saved as a view. */
export const SAVED_VIEW_PAGES = [
  'runs',
  'event-log',
  'tasks',
  'traces',
  'jobs',
  'webhook-deliveries',
  'notification-deliveries',
  'audit',
  'usage',
] as const;
export type SavedViewPage = (typeof SAVED_VIEW_PAGES)[number];

/** Of these, the ones that only admins may open. */
export const ADMIN_VIEW_PAGES: readonly SavedViewPage[] = [
  'event-log',
  'webhook-deliveries',
  'notification-deliveries',
  'audit',
];

export const SAVED_VIEW_LIMITS = { nameChars: 80, queryChars: 2_000, perPage: 50 } as const;

/** The canonical form of the filters in a query: sorted by name, without those that are empty. */
export function canonicalQuery(query: string): string {
  const fields = [...new URLSearchParams(query)].filter(([, value]) => value !== '');
  const sorted = new URLSearchParams(fields);
  sorted.sort();
  return sorted.toString();
}
