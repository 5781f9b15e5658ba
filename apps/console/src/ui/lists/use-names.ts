import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';

/** What one request names at most. */
const MOST = 200;

interface Names {
  /** Undefined: it is not loaded yet, or there is none. */
  find: (id: string) => string | undefined;
  /** Whether it is certain that there is no name for an id that `find` does not know. */
  isMissing: (id: string) => boolean;
}

/** The names of items by their ids. Only those that are asked for are loaded, together. */
export function useNames(
  key: QueryKey,
  load: (ids: readonly string[]) => Promise<readonly { id: string; name: string }[]>,
): Names {
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
  return {
    find: (id) => {
      const name = names.data?.get(id);
      if (name === undefined) ask(id);
      return name;
    },
    isMissing: (id) => ids.includes(id) && !names.isFetching && !names.isError && !names.data?.has(id),
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
