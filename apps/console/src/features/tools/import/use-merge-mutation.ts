import type { Tool } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { isConflict } from '../../../ui/layout/errors.ts';
import type { DocumentWorker } from '../document/document-worker.ts';
import type { Decisions } from '../document/reimport-differences.ts';
import { withoutRefused, type RefusedMethod } from './import-tool.ts';

/**
 * Applies the decisions to the tool, and goes to its page unless the service has refused some of them. Loads the tool again if it
 * has changed meanwhile.
 */
export function useMergeMutation(
  tool: Tool,
  worker: DocumentWorker,
  decisions: Decisions,
  onApplied: (changed: Tool, refused: RefusedMethod[]) => void,
) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      const changes = await worker.merge([...decisions].map(([name, preference]) => ({ name, preference })));
      const { add, update, remove } = changes;
      const updatedAt = tool.updatedAt ?? '';
      // Nothing is stored unless the service accepts all of it, so that the version stays until it does.
      const { result, refused } = await withoutRefused(add, 'add', (added) =>
        withoutRefused(update, 'update', (updated) =>
          client.tools.changeMethods(tool.id, { updatedAt, add: added, update: updated, remove }),
        ),
      );
      return { changed: result.result, refused: [...refused, ...result.refused] };
    },
    onSuccess: async ({ changed, refused }) => {
      queryClient.setQueryData(keys.tool(tool.id), changed);
      onApplied(changed, refused);
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      if (refused.length > 0) return;
      void message.success(t('toolPages.saved', { name: changed.name }));
      await navigate(paths.tool(tool.id));
    },
    onError: async (error) => {
      if (isConflict(error)) await queryClient.invalidateQueries({ queryKey: keys.tool(tool.id) });
    },
  });
}
