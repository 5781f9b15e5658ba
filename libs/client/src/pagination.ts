import type { Page } from '@platform/contracts';

/**
 * Yields all items of a list, page by page:
 * `for await (const agent of paginate((cursor) => client.agents.list({ cursor })))`.
 */
export async function* paginate<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
