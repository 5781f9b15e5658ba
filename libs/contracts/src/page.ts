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
