import { paginate } from '@platform/client';
import type { Page, PageQuery } from '@platform/contracts';

/** Loads all items of a list that is known to be short. */
export async function loadAllItems<T>(fetchPage: (page: PageQuery) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  const pages = paginate((cursor) => fetchPage({ limit: 200, ...(cursor !== undefined && { cursor }) }));
  for await (const item of pages) items.push(item);
  return items;
}
