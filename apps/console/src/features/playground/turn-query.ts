import type { Turn } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';

const isOver = ({ status }: Turn): boolean => status !== 'QUEUED' && status !== 'RUNNING';

/** Loads the usage of a turn, which no longer changes when the turn has ended. */
export const turnQuery = (agentId: string, turnId: string) =>
  queryOptions({
    queryKey: keys.turn(agentId, turnId),
    queryFn: () => client.agents.turn(agentId, turnId),
    staleTime: ({ state }) => (state.data !== undefined && isOver(state.data) ? Infinity : 0),
  });
