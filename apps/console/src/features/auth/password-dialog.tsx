import type { ChangePasswordRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Form, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/use-form-errors.ts';
import { KeysToRevoke } from './keys-to-revoke.tsx';
import { PasswordFields, type PasswordForm } from './password-fields.tsx';

type DialogForm = PasswordForm & Pick<ChangePasswordRequest, 'revokeApiKeys'>;

export function PasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<DialogForm>();
  const showErrors = useFormErrors(form, ['currentPassword', 'newPassword']);

  const change = useMutation({
    mutationFn: ({ currentPassword, newPassword, revokeApiKeys }: DialogForm) =>
      client.auth.changePassword({ currentPassword, newPassword, revokeApiKeys }),
    onSuccess: (_, { revokeApiKeys }) => {
      void queryClient.invalidateQueries({ queryKey: keys.apiKeys });
      void message.success(outcome(revokeApiKeys ?? []));
      onClose();
    },
    onError: showErrors,
  });

  function outcome(revoked: string[] | 'all'): string {
    if (revoked === 'all') return t('password.changedAllRevoked');
    return revoked.length > 0
      ? t('password.changedAndRevoked', { count: revoked.length })
      : t('password.changed');
  }

  return (
    <Modal
      open={open}
      title={t('password.title')}
      okText={t('password.submit')}
      cancelText={t('common.cancel')}
      onCancel={onClose}
      onOk={form.submit}
      confirmLoading={change.isPending}
      destroyOnHidden
      afterOpenChange={(opened) => opened && form.focusField('currentPassword')}
      width={420}
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        preserve={false}
        onFinish={(values) => change.mutate(values)}
      >
        <PasswordFields />
        <Form.Item name="revokeApiKeys" noStyle>
          <KeysToRevoke />
        </Form.Item>
      </Form>
    </Modal>
  );
}
