import { Form } from 'antd';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../../../ui/code/code-field.tsx';
import {
  getNumberProblem,
  parseJsonObject,
  parseJsonObjects,
  type JsonObjects,
} from '../../../../ui/code/parse-json.ts';
import { completeTemplate } from '../templates/completion.ts';
import { useTemplatePaths } from '../templates/template-context.ts';

interface JsonFieldProps {
  name: [index: number, field: string];
  label: string;
  /** Whether it may also be an array of objects. */
  isList?: boolean;
}

/** A JSON object whose values may be templates. */
export function JsonField({ name, label, isList = false }: JsonFieldProps) {
  const { t } = useTranslation();
  const listPaths = useTemplatePaths();
  const complete = useCallback(
    (written: string, caret: number) => completeTemplate(written, caret, listPaths),
    [listPaths],
  );
  const parse = isList ? parseJsonObjects : parseJsonObject;
  return (
    <Form.Item
      name={name}
      label={label}
      extra={t('steps.templateHint')}
      rules={[
        {
          validator: (_, text: string | undefined = '') => {
            if (parse(text) !== undefined) return Promise.resolve();
            const problem =
              getNumberProblem(text, t) ?? t(isList ? 'steps.notObjects' : 'emission.notAnObject');
            return Promise.reject(new Error(problem));
          },
        },
      ]}
    >
      <CodeField language="json" label={label} minHeight="80px" complete={complete} />
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
