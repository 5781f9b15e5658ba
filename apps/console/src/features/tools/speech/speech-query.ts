import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../../api.ts';

export const speechQuery = queryOptions({
  queryKey: keys.speech,
  queryFn: () => client.tools.getSpeech(),
});
