import type { EnvelopeDetail } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../../api.ts';
import { shortest } from '../../../ui/lists/use-list.ts';
import { refreshRunAfter } from '../../runs/run-status.tsx';

const REFRESH_MS = 1_000;

/** An envelope with its verdicts and runs, loaded again until all of them have ended. */
export const envelopeQuery = (envelopeId: string) =>
  queryOptions({
    queryKey: keys.envelope(envelopeId),
    queryFn: () => client.events.envelope(envelopeId),
    refetchInterval: ({ state }) => (state.data ? refreshAfter(state.data) : false),
  });

function refreshAfter({ status, generations }: EnvelopeDetail): number | false {
  if (status === 'PENDING') return REFRESH_MS;
  return shortest(
    generations.flatMap(({ runs }) => runs.map((run) => refreshRunAfter(run.status, REFRESH_MS))),
  );
}
