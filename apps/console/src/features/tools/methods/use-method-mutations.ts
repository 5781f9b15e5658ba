import type { Tool, ToolMethod } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, type FormInstance } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { useConfirmDelete } from '../../../ui/forms/use-confirm-delete.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { STORED_METHOD_FIELDS, toMethodRequest, type StoredMethodValues } from './stored-method.ts';

interface MethodMutationsOptions {
  tool: Tool;
  method: ToolMethod;
  form: FormInstance<StoredMethodValues>;
  onClose: () => void;
}

/** Saves or deletes a method. */
export function useMethodMutations({ tool, method, form, onClose }: MethodMutationsOptions) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  const showErrors = useFormErrors(form, STORED_METHOD_FIELDS);
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.tools });

  const save = useMutation({
    mutationFn: (values: StoredMethodValues) =>
      client.tools.updateMethod(tool.id, method.name, toMethodRequest(values)),
    onSuccess: async ({ name }) => {
      // The drawer is found by the name, so it closes before the name changes.
      onClose();
      await refresh();
      void message.success(t('toolPages.saved', { name }));
    },
    onError: showErrors,
  });
  const remove = () =>
    confirm({
      title: t('toolPages.deleteTitle', { name: method.name }),
      text: t('toolPages.deleteMethodText'),
      run: async () => {
        await client.tools.deleteMethod(tool.id, method.name);
        onClose();
        await refresh();
      },
    });

  return { save, remove };
}
