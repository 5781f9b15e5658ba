import type { Envelope, Page } from '@platform/contracts';
import type { InfiniteData } from '@tanstack/react-query';

export type EnvelopePages = InfiniteData<Page<Envelope>, string | null>;

/**
 * Merges the newest envelopes into a loaded list: new ones come first, known ones get their current status. If the two
 * have nothing in common, envelopes between them are missing, and the list starts again with the newest ones.
 */
export function mergeNewest(known: EnvelopePages | undefined, newest: Page<Envelope>): EnvelopePages {
  const restart: EnvelopePages = { pages: [newest], pageParams: [null] };
  const first = known?.pages[0];
  if (known === undefined || first === undefined || first.items.length === 0) return restart;
  const current = new Map(newest.items.map((envelope) => [envelope.id, envelope]));
  let common = 0;
  const pages = known.pages.map((page) => {
    let changed = 0;
    const items = page.items.map((envelope) => {
      const next = current.get(envelope.id);
      if (next === undefined) return envelope;
      common++;
      current.delete(envelope.id);
      if (isSame(envelope, next)) return envelope;
      changed++;
      return next;
    });
    return changed === 0 ? page : { ...page, items };
  });
  if (common === 0 && newest.nextCursor !== null) return restart;
  // Ids sort by time, so only what is newer than the list is new.
  const top = first.items[0]?.id ?? '';
  const added = [...current.values()].filter(({ id }) => id > top);
  const [head, ...rest] = pages;
  if (head === undefined || (added.length === 0 && pages.every((page, i) => page === known.pages[i]))) {
    return known;
  }
  return { ...known, pages: [{ ...head, items: [...added, ...head.items] }, ...rest] };
}

function isSame(a: Envelope, b: Envelope): boolean {
  return (
    a.status === b.status &&
    a.generation === b.generation &&
    a.matchedCount === b.matchedCount &&
    JSON.stringify(a.deliveries) === JSON.stringify(b.deliveries)
  );
}
