import type { Turn } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';

const isOver = ({ status }: Turn): boolean => status !== 'QUEUED' && status !== 'RUNNING';

/** A turn's figures; once it is over they stay as they are. */
export const turnQuery = (agentId: string, turnId: string) =>
  queryOptions({
    queryKey: keys.turn(agentId, turnId),
    queryFn: () => client.agents.turn(agentId, turnId),
    staleTime: ({ state }) => (state.data !== undefined && isOver(state.data) ? Infinity : 0),
  });
