import { useQueries } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { Named, NamedSource } from './named-source.ts';

/**
 * Returns a function for the names of items by their ids: null for an item that does not exist, undefined until it is known.
 * Only the names that it is asked for are loaded, together.
 */
export function useNames<Item extends Named, Filter extends object>({
  nameQuery,
}: NamedSource<Item, Filter>): (id: string) => string | null | undefined {
  const [ids, ask] = useWanted();
  const names = useQueries({ queries: ids.map(nameQuery), combine: listData });
  const byId = useMemo(() => new Map(ids.map((id, i) => [id, names[i]])), [ids, names]);
  return (id) => {
    ask(id);
    return byId.get(id);
  };
}

const listData = <Data>(results: { data: Data }[]): Data[] => results.map(({ data }) => data);

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
