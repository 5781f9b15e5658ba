import type { Envelope, EnvelopeQuery } from '@platform/contracts';
import { client, keys } from '../../../api.ts';
import { useFirstItems, useList, type List } from '../../../ui/lists/use-list.ts';

/** The envelopes that match. The stream of changes adds new ones, unless the list is paused. */
export function useEnvelopes(query: EnvelopeQuery, isPaused: boolean): List<Envelope> {
  return useFirstItems(
    useList<Envelope>([...keys.envelopes, query], (page) => client.events.envelopes({ ...page, ...query }), {
      isFrozen: isPaused,
    }),
  );
}
