import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';

interface AuthTextFieldProps {
  name: string;
  labelKey: 'toolPages.authName' | 'toolPages.username';
  placeholder?: string;
}

/** A required text of an authentication, which is no secret. */
export function AuthTextField({ name, labelKey, placeholder = '' }: AuthTextFieldProps) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name={['auth', name]}
      label={t(labelKey)}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
    >
      <Input className="mono" placeholder={placeholder} autoComplete="off" />
    </Form.Item>
  );
}
