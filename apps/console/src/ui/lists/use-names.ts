import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';

/** What one request names at most. */
const MOST = 200;

/**
 * Returns a function for the names of items by their ids: `missing` for an item that does not exist, undefined until it is known.
 * Only the names that it is asked for are loaded, together.
 */
export function useNames(
  key: QueryKey,
  load: (ids: readonly string[]) => Promise<readonly { id: string; name: string }[]>,
  missing?: string,
): (id: string) => string | undefined {
  const [ids, ask] = useWanted();
  const names = useQuery({
    queryKey: [...key, 'names', ids],
    queryFn: async () => {
      const found = new Map<string, string>();
      for (let from = 0; from < ids.length; from += MOST)
        for (const { id, name } of await load(ids.slice(from, from + MOST))) found.set(id, name);
      return found;
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return (id) => {
    const name = names.data?.get(id);
    if (name !== undefined) return name;
    ask(id);
    return names.isFetching || names.isError || !ids.includes(id) ? undefined : missing;
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
