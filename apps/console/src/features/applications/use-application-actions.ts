import type { ApplicationDetail } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';

/** Rotates the system key of an application, or uninstalls it, after a confirmation. */
export function useApplicationActions(
  { identifier, name }: ApplicationDetail,
  onRotated: (systemKey: string) => void,
) {
  const { t } = useTranslation();
  const { message, modal } = App.useApp();
  const confirm = useConfirmDelete();
  const rotation = useMutation({
    mutationFn: () => client.applications.rotateKey(identifier),
    onSuccess: async ({ systemKey }) => {
      onRotated(systemKey);
      await queryClient.invalidateQueries({ queryKey: keys.applications });
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const rotate = () =>
    void modal.confirm({
      title: t('applications.rotateTitle', { name }),
      content: t('applications.rotateText'),
      okText: t('applications.rotate'),
      okButtonProps: { danger: true },
      cancelText: t('common.cancel'),
      onOk: () => rotation.mutate(),
    });
  const uninstall = () =>
    confirm({
      title: t('applications.uninstallTitle', { name }),
      text: t('applications.uninstallText'),
      verb: t('applications.uninstall'),
      run: async () => {
        await client.applications.uninstall(identifier);
        await queryClient.invalidateQueries();
      },
    });

  return { rotate, isRotating: rotation.isPending, uninstall };
}
