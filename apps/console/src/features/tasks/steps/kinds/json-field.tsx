import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../../../ui/code/code-field.tsx';
import { parseJsonObject, parseJsonObjects, type JsonObjects } from '../../../../ui/code/parse-json.ts';

interface JsonFieldProps {
  name: [index: number, field: string];
  label: string;
  /** Whether it may also be an array of objects. */
  isList?: boolean;
}

/** A JSON object whose values may be templates. */
export function JsonField({ name, label, isList = false }: JsonFieldProps) {
  const { t } = useTranslation();
  const parse = isList ? parseJsonObjects : parseJsonObject;
  return (
    <Form.Item
      name={name}
      label={label}
      extra={t('steps.templateHint')}
      rules={[
        {
          validator: (_, text: string | undefined) =>
            parse(text ?? '') === undefined
              ? Promise.reject(new Error(t(isList ? 'steps.notObjects' : 'emission.notAnObject')))
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

/** As `parseObject`, for a field that may also be an array of objects. */
export function parseObjects(text: string | undefined): JsonObjects {
  return parseJsonObjects(text ?? '') ?? {};
}
