import type { EnvelopeDetail } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../../api.ts';
import { hasRunEnded } from '../../runs/run-status.tsx';

const REFRESH_MS = 1_000;

/** An envelope with its verdicts and runs, loaded again until all of them have ended. */
export const envelopeQuery = (envelopeId: string) =>
  queryOptions({
    queryKey: keys.envelope(envelopeId),
    queryFn: () => client.events.envelope(envelopeId),
    refetchInterval: ({ state }) => (state.data && isChanging(state.data) ? REFRESH_MS : false),
  });

function isChanging({ status, generations }: EnvelopeDetail): boolean {
  return status === 'PENDING' || generations.some(({ runs }) => runs.some((run) => !hasRunEnded(run.status)));
}
