import type { Page } from '@platform/contracts';

/**
 * Yields all items of a list, page by page:
 * `for await (const agent of paginate((cursor) => client.agents.list({ cursor })))`.
 */
export async function* paginate<T>(
  fetchPage: (cursor: string | undefined) => PromiseLike<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await fetchPage(cursor);
    yield* items;
    if (!nextCursor) return;
    if (nextCursor === cursor) throw new Error('The list repeats its cursor, so it would never end');
    cursor = nextCursor;
  }
}
