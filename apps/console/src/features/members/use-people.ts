import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { SEARCH_AFTER_MS, useSettled } from '../../ui/browser/use-settled.ts';
import { useSession } from '../auth/session.ts';

/** How many are offered; typing finds the others. */
const OFFERED = 50;

export interface Person {
  value: string;
  label: string;
  email: string;
}

/**
 * Members to choose from: the first by name, or those whose names or addresses contain the text. `isError`: they cannot be loaded;
 * only the user is offered.
 */
export function usePeople(text: string): { people: Person[]; isLoading: boolean; isError: boolean } {
  const { t } = useTranslation();
  const { user } = useSession();
  const sought = useSettled(text.trim(), SEARCH_AFTER_MS);
  const first = useQuery(offeredQuery(''));
  const found = useQuery({
    ...offeredQuery(sought),
    enabled: !first.isError,
    placeholderData: keepPreviousData,
  });
  const people = first.isError ? [user] : (found.data?.items.map((member) => member.user) ?? []);
  return {
    people: people.map(({ id, name, email }) => ({
      value: id,
      label: id === user.id ? `${name} (${t('common.you')})` : name,
      email,
    })),
    isLoading: found.isFetching,
    isError: first.isError,
  };
}

function offeredQuery(text: string) {
  return queryOptions({
    queryKey: [...keys.members, 'offered', text],
    queryFn: () => client.members.list({ limit: OFFERED, sort: 'name', ...(text !== '' && { text }) }),
  });
}
