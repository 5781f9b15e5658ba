import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';

export interface PasswordForm {
  currentPassword: string;
  newPassword: string;
  repeated: string;
}

/** Fields for the current password, the new password, and its repetition. */
export function PasswordFields() {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name="currentPassword"
        label={t('password.current')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      <Form.Item
        name="newPassword"
        label={t('password.new')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Form.Item
        name="repeated"
        label={t('password.repeat')}
        dependencies={['newPassword']}
        rules={[
          ({ getFieldValue }) => ({
            validator: (_, value) =>
              value === getFieldValue('newPassword')
                ? Promise.resolve()
                : Promise.reject(new Error(t('password.differs'))),
          }),
        ]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
    </>
  );
}
