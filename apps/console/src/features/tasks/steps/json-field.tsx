import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../../ui/code/code-field.tsx';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';

interface JsonFieldProps {
  name: [index: number, field: string];
  label: string;
}

/** A JSON object whose values may be templates. */
export function JsonField({ name, label }: JsonFieldProps) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name={name}
      label={label}
      extra={t('steps.templateHint')}
      rules={[
        {
          validator: (_, text: string | undefined) =>
            parseJsonObject(text ?? '') === undefined
              ? Promise.reject(new Error(t('emission.notAnObject')))
              : Promise.resolve(),
        },
      ]}
    >
      <CodeField language="json" label={label} minHeight="80px" />
    </Form.Item>
  );
}

/** Returns the object of a JsonField, which accepts nothing else: the fallback is never sent. */
export function parseObject(text: string | undefined): Record<string, unknown> {
  return parseJsonObject(text ?? '') ?? {};
}
