import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { namedSource, type Named } from '../../ui/names/named-source.ts';
import { useNames } from '../../ui/names/use-names.ts';
import { useSession } from '../auth/session.ts';

export interface Person extends Named {
  email: string;
}

export const personNames = namedSource<Person>(keys.members, async (query) => {
  const { items, nextCursor } = await client.members.list(query);
  return { items: items.map(({ user }) => user), nextCursor };
});

/**
 * Returns a function for the names of members: null for somebody who is none, undefined until it is known. Only the names that it
 * is asked for are loaded.
 */
export function usePersonName(): (userId: string) => string | null | undefined {
  const nameOf = useNames(personNames);
  const markUser = useMarkedUser();
  const { user } = useSession();
  return (userId) => (userId === user.id ? markUser(user) : nameOf(userId));
}

/** Returns a function for the name of a person, which says whether it is the user. */
export function useMarkedUser(): (person: Named) => string {
  const { t } = useTranslation();
  const { user } = useSession();
  return ({ id, name }) => (id === user.id ? `${name} (${t('common.you')})` : name);
}
