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

/** A list of the service that can be searched by name, and asked for the names of ids. */
export type NamedSource<Item extends Named, Filter extends object> = ReturnType<
  typeof namedSource<Item, Filter>
>;

/** What the service takes in one request. */
const MAX_IDS = 200;
/** How many are offered; typing finds the others. */
const OFFERED = 50;

/** `key`: of the queries that a change of the list makes stale. */
export function namedSource<Item extends Named, Filter extends object = object>(
  key: QueryKey,
  list: ListNamed<Item, Filter>,
) {
  const loadNames = async (ids: readonly string[]): Promise<Map<string, string>> => {
    const { items, nextCursor } = await list({ ids });
    const names = new Map(items.map(({ id, name }) => [id, name]));
    if (nextCursor === null || names.size === 0) return names;
    // Large items come in several pages.
    return new Map([...names, ...(await loadNames(ids.filter((id) => !names.has(id))))]);
  };
  const nameOf = batched(loadNames);
  const nameQuery = (id: string) =>
    queryOptions({ queryKey: [...key, 'name', id], queryFn: async () => (await nameOf(id)) ?? null });
  return {
    /** The name of one item, null if there is none. Those that are asked for at the same time are one request. */
    nameQuery,
    /** The first by name, or those that a text finds. */
    offeredQuery: (text: string, filter?: Partial<Filter>) =>
      queryOptions({
        queryKey: [...key, 'offered', text, filter],
        queryFn: async ({ client, signal }) => {
          const query: NamedQuery = { limit: OFFERED, sort: 'name', ...(text !== '' && { text }) };
          const { items, nextCursor } = await list(query, filter);
          // Names of an older list must not replace newer ones, nor outlive the session.
          if (!signal.aborted)
            for (const { id, name } of items) client.setQueryData(nameQuery(id).queryKey, name);
          return { items, isAll: nextCursor === null };
        },
      }),
  };
}

/** Returns a function that loads one value, together with those that are asked for in the same turn of the event loop. */
function batched<Value>(
  load: (ids: readonly string[]) => Promise<Map<string, Value>>,
): (id: string) => Promise<Value | undefined> {
  let open: { ids: string[]; loaded: Promise<Map<string, Value>> } | undefined;
  const start = () => {
    const ids: string[] = [];
    const loaded = new Promise((resolve) => setTimeout(resolve)).then(() => {
      if (open?.ids === ids) open = undefined;
      return load(ids);
    });
    return { ids, loaded };
  };
  return async (id) => {
    if (open === undefined || open.ids.length === MAX_IDS) open = start();
    const { ids, loaded } = open;
    ids.push(id);
    return (await loaded).get(id);
  };
}
