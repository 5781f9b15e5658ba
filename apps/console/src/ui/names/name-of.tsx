import { useQuery } from '@tanstack/react-query';
import type { Named, NamedSource } from './named-source.ts';

interface NameOfProps<Item extends Named, Filter extends object> {
  source: NamedSource<Item, Filter>;
  id: string;
}

/** The name of an item, or its id if there is none of that id. */
export function NameOf<Item extends Named, Filter extends object>({ source, id }: NameOfProps<Item, Filter>) {
  const { data, isPending } = useQuery(source.nameQuery(id));
  return isPending ? '…' : (data ?? id);
}
