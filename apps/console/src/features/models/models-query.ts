import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { allItems } from '../../ui/all-items.ts';

/** The model catalog of the space. */
export const modelsQuery = queryOptions({
  queryKey: [...keys.models, 'all'],
  queryFn: () => allItems((page) => client.models.list(page)),
});
