import type { NotificationChannel } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { useList } from '../../ui/lists/use-list.ts';

/** The channels of the space, and what can be done with each. */
export function useChannels() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  const list = useList<NotificationChannel>(keys.notificationChannels, (page) =>
    client.notifications.listChannels(page),
  );
  const reload = () => queryClient.invalidateQueries({ queryKey: keys.notificationChannels });
  const onError = (error: unknown) => void message.error(getErrorMessage(error, t));
  const test = useMutation({
    mutationFn: (channel: NotificationChannel) => client.notifications.testChannel(channel.id),
    onSuccess: ({ status, lastError }, { name }) => {
      void queryClient.invalidateQueries({ queryKey: keys.notificationDeliveries });
      if (status === 'DELIVERED') void message.success(t('notifications.tested', { name }));
      else void message.error(lastError ?? t('notifications.testFailed', { name }));
    },
    onError,
  });
  const enable = useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) =>
      client.notifications.updateChannel(id, { enabled }),
    onSuccess: reload,
    onError,
  });
  return {
    list,
    test: (channel: NotificationChannel) => test.mutate(channel),
    testing: test.isPending ? test.variables.id : undefined,
    enable: ({ id }: NotificationChannel, enabled: boolean) => enable.mutate({ id, enabled }),
    remove: ({ id, name }: NotificationChannel) =>
      confirm({
        title: t('notifications.deleteTitle', { name }),
        text: t('notifications.deleteText'),
        run: async () => {
          await client.notifications.deleteChannel(id);
          await reload();
        },
      }),
  };
}
