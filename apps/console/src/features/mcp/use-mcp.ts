import type { OAuthGrant } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useList } from '../../ui/lists/use-list.ts';

/** What the space offers to MCP clients, and the address for them. */
export function useOffers() {
  return useQuery({ queryKey: keys.mcpOffers, queryFn: () => client.mcp.getOffers() });
}

/** The clients with access, and a function that revokes one after a confirmation. */
export function useGrants() {
  const { t } = useTranslation();
  const confirmDelete = useConfirmDelete();
  const list = useList<OAuthGrant>(keys.oauthGrants, (page) => client.oauth.grants.list(page));
  const revoke = (grant: OAuthGrant) =>
    confirmDelete({
      title: t('mcp.revokeTitle', { name: grant.client.name }),
      text: t('mcp.revokeText'),
      verb: t('mcp.revoke'),
      run: async () => {
        await client.oauth.grants.revoke(grant.id);
        await queryClient.invalidateQueries({ queryKey: keys.oauthGrants });
      },
    });
  return { list, revoke };
}
