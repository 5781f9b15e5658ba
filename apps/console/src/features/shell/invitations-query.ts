import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';

/** The number of invitations shown at once. Further ones follow after these are answered. */
const SHOWN = 3;

export const invitationsQuery = queryOptions({
  queryKey: keys.receivedInvitations,
  queryFn: () => client.auth.invitations({ limit: SHOWN }),
  staleTime: 60_000,
});
