import type { UserSummary } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';
import { useSession } from '../auth/session.ts';

interface Person {
  value: string;
  label: string;
  email: string;
  search: string;
}

/** The members of the space as select options. Users who cannot list members see only themselves. */
export function usePeople(): { options: Person[]; known: boolean; loading: boolean } {
  const { t } = useTranslation();
  const { user } = useSession();
  const members = useQuery({
    queryKey: [...keys.members, 'all'],
    queryFn: () => loadAllItems((page) => client.members.list(page)),
  });
  const people = members.data?.map((member) => member.user) ?? [user];
  return {
    options: people.map((person) => toOption(person, person.id === user.id ? ` (${t('common.you')})` : '')),
    known: !members.isError,
    loading: members.isPending,
  };
}

function toOption({ id, name, email }: UserSummary, mark: string): Person {
  return { value: id, label: `${name}${mark}`, email, search: `${name} ${email}` };
}
