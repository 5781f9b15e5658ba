import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { useNames } from '../../ui/lists/use-names.ts';
import { useSession } from '../auth/session.ts';

/**
 * Returns a function for the names of members: `former` for somebody who is none, undefined until it is known. Only the names
 * that it is asked for are loaded.
 */
export function usePersonName(former?: string): (userId: string) => string | undefined {
  const { t } = useTranslation();
  const { user } = useSession();
  const nameOf = useNames(
    keys.members,
    async (ids) => (await client.members.list({ ids })).items.map((member) => member.user),
    former,
  );
  return (userId) => (userId === user.id ? `${user.name} (${t('common.you')})` : nameOf(userId));
}
