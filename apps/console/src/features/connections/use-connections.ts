import type { Connection, ConnectionProvider, ConnectionStatus } from '@platform/contracts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** The connections that the user sees: their own and those of the space. */
export const connectionsQuery = queryOptions({
  queryKey: [...keys.connections, 'all'],
  queryFn: () => loadAllItems((page) => client.connections.list(page)),
});

export const providersQuery = queryOptions({
  queryKey: [...keys.connectionProviders, 'all'],
  queryFn: () => loadAllItems((page) => client.connections.listProviders(page)),
});

export const presetsQuery = queryOptions({
  queryKey: keys.connectionPresets,
  queryFn: () => client.connections.presets(),
  staleTime: Infinity,
});

/** What one can connect to, without what the user has connected already. */
export function useAvailable(userId: string): ConnectionProvider[] {
  const providers = useQuery(providersQuery).data ?? [];
  const connections = useQuery(connectionsQuery).data ?? [];
  const own = new Set(
    connections.filter(({ owner }) => owner?.id === userId).map(({ provider }) => provider.id),
  );
  return providers.filter((provider) => !own.has(provider.id) && canPersonConnect(provider));
}

/** Whether a person can have an own connection: not if only the platform itself gets tokens. */
export function canPersonConnect({ oauth }: ConnectionProvider): boolean {
  return oauth === null || oauth.authorizationEndpoint !== null;
}

/** The state as people understand it: a tool may have refused what the provider still calls valid. */
export function stateOf({ status, refusedAt }: Connection): ConnectionStatus | 'REFUSED' {
  return status === 'ACTIVE' && refusedAt !== null ? 'REFUSED' : status;
}
