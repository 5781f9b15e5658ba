import type { Page } from '@platform/contracts';
import { replaceEqualDeep, type InfiniteData } from '@tanstack/react-query';

/** Of ids, in hexadecimal digits. */
const AFTER_ALL = 'g';

type Pages<T> = InfiniteData<Page<T>, string | null>;

/**
 * Merges the newest rows into a loaded list that is sorted by id, newest first: new ones come first, known ones become what they are
 * now, and those that are missing among the newest are gone. If the two have nothing in common, rows between them are
 * missing, and the list starts again with the newest ones. A search that has found nothing among the newest is in no
 * position to tell: what it found before stays.
 */
export function mergeNewest<T extends { id: string }>(
  known: Pages<T> | undefined,
  newest: Page<T>,
): Pages<T> {
  const restart: Pages<T> = { pages: [newest], pageParams: [null] };
  if (known === undefined || known.pages.length === 0) return restart;
  const hasMore = newest.nextCursor !== null;
  if (newest.items.length === 0 && hasMore && known.pages.length > 1) return known;
  const top = known.pages.find(({ items }) => items.length > 0)?.items[0]?.id;
  if (top === undefined) return restart;
  const current = new Map(newest.items.map((row) => [row.id, row]));
  // What is older was not loaded again.
  const end = !hasMore ? '' : (newest.items.at(-1)?.id ?? AFTER_ALL);
  let common = 0;
  const pages = known.pages.map((page) => {
    const items = page.items.flatMap((row) => {
      const next = current.get(row.id);
      if (next === undefined) return row.id >= end ? [] : [row];
      common++;
      current.delete(row.id);
      return [replaceEqualDeep(row, next)];
    });
    const isSame = items.length === page.items.length && items.every((row, i) => row === page.items[i]);
    return isSame ? page : { ...page, items };
  });
  if (common === 0 && hasMore) return restart;
  // Ids sort by time, so only what is newer than the list is new.
  const added = [...current.values()].filter(({ id }) => id > top);
  const [head, ...rest] = pages;
  if (head === undefined || (added.length === 0 && pages.every((page, i) => page === known.pages[i]))) {
    return known;
  }
  return { ...known, pages: [{ ...head, items: [...added, ...head.items] }, ...rest] };
}
