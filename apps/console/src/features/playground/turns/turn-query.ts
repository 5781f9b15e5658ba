import type { Turn } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../../api.ts';

const isOver = ({ status }: Turn): boolean => status !== 'QUEUED' && status !== 'RUNNING';

/** Loads a turn with its usage, searches, and tool calls, which no longer change when the turn has ended. */
export const turnQuery = (agentId: string, turnId: string) =>
  queryOptions({
    queryKey: keys.turn(agentId, turnId),
    queryFn: () => client.turns.trace(agentId, turnId),
    staleTime: ({ state }) => (state.data !== undefined && isOver(state.data) ? Infinity : 0),
  });
