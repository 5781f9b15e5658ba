import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** The applications of the space, without their manifests. */
export const allApplicationsQuery = queryOptions({
  queryKey: [...keys.applications, 'all'],
  queryFn: () => loadAllItems((page) => client.applications.list(page)),
});

export const applicationQuery = (identifier: string) =>
  queryOptions({
    queryKey: keys.application(identifier),
    queryFn: () => client.applications.get(identifier),
  });
