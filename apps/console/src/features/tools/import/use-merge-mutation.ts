import type { Tool } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import type { DocumentWorker } from '../document/document-worker.ts';
import type { Decisions } from '../document/reimport-differences.ts';

/** Applies the decisions to the tool, and goes to its page. */
export function useMergeMutation(tool: Tool, worker: DocumentWorker, decisions: Decisions) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      const changes = await worker.merge([...decisions].map(([name, preference]) => ({ name, preference })));
      return client.tools.changeMethods(tool.id, { updatedAt: tool.updatedAt ?? '', ...changes });
    },
    onSuccess: async (changed) => {
      queryClient.setQueryData(keys.tool(tool.id), changed);
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolPages.saved', { name: changed.name }));
      await navigate(paths.tool(tool.id));
    },
  });
}
