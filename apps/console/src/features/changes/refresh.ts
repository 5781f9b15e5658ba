import type { ChangeEvent, Page } from '@platform/contracts';
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import { mergeNewest } from '../../ui/lists/merge-newest.ts';
import { isOutdated } from './outdated.ts';

type Pages = InfiniteData<Page<{ id: string }>, string | null>;

/** Loads again what is shown and outdated; anything else when it is shown. */
export async function refresh(client: QueryClient, events: readonly ChangeEvent[]): Promise<void> {
  const isMeant = (query: Query) => events.some((event) => isOutdated(query, event));
  const long = client.getQueryCache().findAll({ type: 'active', predicate: isMeant }).filter(hasMorePages);
  const isLong = new Set(long.map(({ queryHash }) => queryHash));
  await Promise.all([
    client.invalidateQueries(
      { predicate: (query) => !isLong.has(query.queryHash) && isMeant(query) },
      { cancelRefetch: false },
    ),
    ...long.map((query) => refreshHead(client, query)),
  ]);
}

function hasMorePages({ state }: Query): boolean {
  return ((state.data as Partial<Pages> | undefined)?.pages?.length ?? 0) > 1;
}

/** Of a list with many pages, only the newest is loaded: what changes is mostly there, and the others would take as many requests. */
async function refreshHead(client: QueryClient, { queryKey, options }: Query): Promise<void> {
  const { queryFn, meta } = options;
  if (typeof queryFn !== 'function') return;
  const context = {
    client,
    queryKey,
    meta,
    signal: new AbortController().signal,
    pageParam: null,
    direction: 'forward',
  };
  try {
    const newest = (await queryFn(context)) as Page<{ id: string }>;
    client.setQueryData<Pages>(queryKey, (known) => mergeNewest(known, newest));
  } catch {
    // The list stays as it is; the next change tries again.
  }
}
