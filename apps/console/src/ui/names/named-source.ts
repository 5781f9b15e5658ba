import { queryOptions, type QueryKey } from '@tanstack/react-query';

export interface Named {
  id: string;
  name: string;
}

export interface NamedQuery {
  ids?: readonly string[];
  text?: string;
  sort?: 'name';
  limit?: number;
}

type ListNamed<Item, Filter> = (
  query: NamedQuery,
  filter?: Partial<Filter>,
) => Promise<{ items: readonly Item[]; nextCursor: string | null }>;

/** A list of the service that is searched by name and asked for names: what a field offers, and how it shows what was chosen. */
export type NamedSource<Item extends Named, Filter extends object> = ReturnType<
  typeof namedSource<Item, Filter>
>;

/** What one request names at most. */
const MOST_NAMED = 200;
/** How many are offered; typing finds the others. */
const OFFERED = 50;

/** `key`: of the queries that a change of the list makes stale. */
export function namedSource<Item extends Named, Filter extends object = object>(
  key: QueryKey,
  list: ListNamed<Item, Filter>,
) {
  const nameOf = together(async (ids) => {
    const names = new Map<string, string>();
    for (let from = 0; from < ids.length; from += MOST_NAMED) {
      const { items } = await list({ ids: ids.slice(from, from + MOST_NAMED) });
      for (const { id, name } of items) names.set(id, name);
    }
    return names;
  });
  const nameQuery = (id: string) =>
    queryOptions({ queryKey: [...key, 'name', id], queryFn: async () => (await nameOf(id)) ?? null });
  return {
    key,
    /** The name of one item, null if there is none. Those that are asked for at the same time are one request. */
    nameQuery,
    /** The first by name, or those that a text finds. */
    offeredQuery: (text: string, filter?: Partial<Filter>) =>
      queryOptions({
        queryKey: [...key, 'offered', text, filter],
        queryFn: async ({ client }) => {
          const query: NamedQuery = { limit: OFFERED, sort: 'name', ...(text !== '' && { text }) };
          const { items, nextCursor } = await list(query, filter);
          for (const { id, name } of items) client.setQueryData(nameQuery(id).queryKey, name);
          return { items, isAll: nextCursor === null };
        },
      }),
  };
}

/** Returns a function that loads one value, together with those that are asked for in the same turn of the event loop. */
function together<Value>(
  load: (ids: readonly string[]) => Promise<Map<string, Value>>,
): (id: string) => Promise<Value | undefined> {
  let next: { ids: string[]; loaded: Promise<Map<string, Value>> } | undefined;
  return async (id) => {
    if (next === undefined) {
      const ids: string[] = [];
      const loaded = new Promise((resolve) => setTimeout(resolve)).then(() => {
        next = undefined;
        return load(ids);
      });
      next = { ids, loaded };
    }
    next.ids.push(id);
    return (await next.loaded).get(id);
  };
}
