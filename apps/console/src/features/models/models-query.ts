import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** The model catalog of the space. */
export const modelsQuery = queryOptions({
  queryKey: [...keys.models, 'all'],
  queryFn: () => loadAllItems((page) => client.models.list(page)),
});

/** The models that agents can use. */
export const chatModelsQuery = queryOptions({
  ...modelsQuery,
  select: (models) => models.filter(({ kind }) => kind === 'chat'),
});
