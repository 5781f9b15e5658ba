import type { Envelope, EnvelopeQuery, Page } from '@platform/contracts';
import { useQuery, type InfiniteData } from '@tanstack/react-query';
import { client, keys, queryClient } from '../../../api.ts';
import { useList, type List } from '../../../ui/lists/use-list.ts';
import { mergeNewest } from '../../../ui/lists/merge-newest.ts';

const TAIL_MS = 2_000;

/** The envelopes that match, to which new ones are added while the tail is followed. */
export function useEnvelopes(query: EnvelopeQuery, isLive: boolean): List<Envelope> {
  const queryKey = [...keys.envelopes, query];
  const list = useList<Envelope>(queryKey, (page) => client.events.envelopes({ ...page, ...query }));

  useQuery({
    queryKey: [...queryKey, 'tail'],
    queryFn: async () => {
      const newest = await client.events.envelopes({ ...query, limit: 100 });
      queryClient.setQueryData<InfiniteData<Page<Envelope>, string | null>>(queryKey, (known) =>
        mergeNewest(known, newest),
      );
      return newest.items.length;
    },
    enabled: isLive && !list.loading,
    refetchInterval: TAIL_MS,
    staleTime: 0,
    // The result is in the list.
    notifyOnChangeProps: [],
  });
  return list;
}
