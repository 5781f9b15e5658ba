import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { Named, NamedSource } from './named-source.ts';

/**
 * Returns a function for the names of items by their ids: null for an item that does not exist, undefined until it is known.
 * Only the names that it is asked for are loaded, together.
 */
export function useNames<Item extends Named, Filter extends object>({
  key,
  nameQuery,
}: NamedSource<Item, Filter>): (id: string) => string | null | undefined {
  const [ids, ask] = useWanted();
  const names = useQuery({
    queryKey: [...key, 'names', ids] as QueryKey,
    queryFn: async ({ client }) =>
      new Map(await Promise.all(ids.map(async (id) => [id, await client.query(nameQuery(id))] as const))),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return (id) => {
    ask(id);
    return names.data?.get(id);
  };
}

/** Collects what is asked for while a page is drawn. */
function useWanted(): [ids: string[], ask: (id: string) => void] {
  const [ids, setIds] = useState<string[]>([]);
  const wanted = useRef(new Set<string>());
  const ask = useMemo(
    () => (id: string) => {
      if (wanted.current.has(id)) return;
      wanted.current.add(id);
      queueMicrotask(() => setIds([...wanted.current].sort()));
    },
    [],
  );
  return [ids, ask];
}
