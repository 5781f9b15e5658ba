import type { ChangeEvent, Page } from '@platform/contracts';
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import { keys } from '../../api.ts';
import { mergeNewest } from '../../ui/lists/merge-newest.ts';
import { isOutdated, isTold } from './outdated.ts';

type Pages = InfiniteData<Page<{ id: string }>, string | null>;

/** Loads again what is shown and outdated; anything else when it is shown. */
export async function refresh(client: QueryClient, events: readonly ChangeEvent[]): Promise<void> {
  const isMeant = (query: Query) => events.some((event) => isOutdated(query, event));
  const long = client.getQueryCache().findAll({ type: 'active', predicate: isMeant }).filter(isLong);
  const hashes = new Set(long.map(({ queryHash }) => queryHash));
  await Promise.all([
    // What is being loaded may have been read before the change.
    loadAnew(client, (query) => !hashes.has(query.queryHash) && isMeant(query)),
    ...long.map((query) => refreshHead(client, query)),
  ]);
}

/**
 * After the connection was lost: loads again what is being loaded, because it may never arrive, and what is stale and of
 * no kind that the stream tells of. The stream tells the rest.
 */
export function catchUp(client: QueryClient): Promise<void> {
  return loadAnew(
    client,
    (query) =>
      query.queryKey[0] !== keys.session[0] &&
      (query.state.fetchStatus === 'fetching' || (query.isStale() && !isTold(query))),
  );
}

/** Loads queries, also those that are being loaded already. A further page of a list is still wanted. */
async function loadAnew(client: QueryClient, isMeant: (query: Query) => boolean): Promise<void> {
  const isExtended = (query: Query) => query.state.fetchMeta?.fetchMore !== undefined;
  for (const query of client.getQueryCache().findAll({ type: 'active', fetchStatus: 'fetching' })) {
    // A refetch replaces another, but not the first load of a query.
    if (query.state.data === undefined && isMeant(query)) void query.cancel({ silent: true });
  }
  await Promise.all([
    client.invalidateQueries({ predicate: (query) => isMeant(query) && !isExtended(query) }),
    client.invalidateQueries(
      { predicate: (query) => isMeant(query) && isExtended(query) },
      { cancelRefetch: false },
    ),
  ]);
}

/** Whether a list that is sorted by id, newest first, has many pages, or is about to. */
function isLong({ state }: Query): boolean {
  const [first, ...more] = (state.data as Partial<Pages> | undefined)?.pages ?? [];
  if (first === undefined || (more.length === 0 && state.fetchMeta?.fetchMore === undefined)) return false;
  return first.items.every(({ id }, i) => i === 0 || id < (first.items[i - 1]?.id ?? ''));
}

/** Of a list with many pages, only the newest is loaded: what changes is mostly there, and the others would take as many requests. */
async function refreshHead(client: QueryClient, query: Query): Promise<void> {
  const { queryKey, options, state } = query;
  const { queryFn, meta } = options;
  // A page that is being loaded is added to the list as it was before.
  if (state.fetchMeta?.fetchMore !== undefined) await query.promise?.catch(() => undefined);
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
