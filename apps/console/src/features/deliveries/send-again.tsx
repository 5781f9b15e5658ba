import { useMutation } from '@tanstack/react-query';
import { App, Button, type ButtonProps } from 'antd';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';

interface SendAgainProps {
  send: () => Promise<unknown>;
  /** Of the deliveries, which have changed then. */
  queryKey: readonly string[];
  size?: ButtonProps['size'];
}

/** Sends a delivery again. In a list, the row opens the delivery. */
export function SendAgain({ send, queryKey, size = 'middle' }: SendAgainProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const again = useMutation({
    mutationFn: send,
    onSuccess: () => void message.success(t('deliveries.resent')),
    onError: (error) => void message.error(getErrorMessage(error, t)),
    // Whoever was refused looks at something that has changed.
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (
    <Button
      size={size}
      loading={again.isPending}
      onClick={(event) => {
        event.stopPropagation();
        again.mutate();
      }}
    >
      {t('deliveries.resend')}
    </Button>
  );
}
