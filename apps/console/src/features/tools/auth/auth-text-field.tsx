import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';

interface AuthTextFieldProps {
  name: string;
  label: 'toolPages.authName' | 'toolPages.username';
  placeholder?: string;
}

/** A required text of an authentication, which is no secret. */
export function AuthTextField({ name, label, placeholder = '' }: AuthTextFieldProps) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name={['auth', name]}
      label={t(label)}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
    >
      <Input className="mono" placeholder={placeholder} autoComplete="off" />
    </Form.Item>
  );
}
