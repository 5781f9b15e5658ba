import type { ChangePasswordRequest } from '@platform/contracts';
import { App, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { KeysToRevoke } from './keys-to-revoke.tsx';
import { PasswordFields, type PasswordForm } from './password-fields.tsx';

type ChangeForm = PasswordForm & Pick<ChangePasswordRequest, 'revokeApiKeys'>;

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();

  function describe(revoked: string[] | 'all'): string {
    if (revoked === 'all') return t('password.changedAllRevoked');
    return revoked.length > 0
      ? t('password.changedAndRevoked', { count: revoked.length })
      : t('password.changed');
  }

  return (
    <DialogForm
      title={t('password.title')}
      submitText={t('password.submit')}
      fields={['currentPassword', 'newPassword']}
      width={420}
      save={({ currentPassword, newPassword, revokeApiKeys }: ChangeForm) =>
        client.auth.changePassword({ currentPassword, newPassword, revokeApiKeys })
      }
      onSaved={(_, { revokeApiKeys }) => {
        void queryClient.invalidateQueries({ queryKey: keys.apiKeys });
        void message.success(describe(revokeApiKeys ?? []));
        onClose();
      }}
      onClose={onClose}
    >
      <PasswordFields />
      <Form.Item name="revokeApiKeys" noStyle>
        <KeysToRevoke />
      </Form.Item>
    </DialogForm>
  );
}
