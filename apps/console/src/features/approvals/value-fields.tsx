import type { QuestionField } from '@platform/contracts';
import { Checkbox, Form, Input, InputNumber, Select, type FormRule } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isInexact } from '../../ui/code/inexact-number.ts';

/** The input of a field of a form. */
export function FieldItem({ field: { key, label, type, choices, required } }: { field: QuestionField }) {
  const { t } = useTranslation();
  const rules: FormRule[] = required ? [{ required: true, message: t('common.required') }] : [];
  if (type === 'number')
    rules.push({
      validator: (_, value: unknown) =>
        isInexact(typeof value === 'string' ? value : '')
          ? Promise.reject(new Error(t('jsonNumbers.notHeld')))
          : Promise.resolve(),
    });
  const name = ['values', key];
  if (type === 'boolean')
    return (
      <Form.Item name={name} valuePropName="checked" initialValue={required ? false : undefined}>
        <Checkbox>{label}</Checkbox>
      </Form.Item>
    );
  return (
    <Form.Item name={name} label={label} rules={rules}>
      {INPUTS[type](choices ?? [])}
    </Form.Item>
  );
}

const INPUTS: Record<Exclude<QuestionField['type'], 'boolean'>, (choices: string[]) => ReactNode> = {
  text: () => <Input.TextArea autoSize={{ minRows: 1, maxRows: 8 }} />,
  // Without `stringMode`, it would round the number before anything could notice.
  number: () => <InputNumber<string> stringMode className="inbox-number" />,
  date: () => <Input type="date" />,
  choice: (choices) => <Select allowClear options={choices.map((value) => ({ value, label: value }))} />,
};

/** The values that were entered: an input that was left empty gives none. */
export function toValues(
  fields: readonly QuestionField[],
  entered: Record<string, unknown>,
): Record<string, unknown> {
  const given = fields.flatMap(({ key, type }): [string, unknown][] => {
    const value = Object.hasOwn(entered, key) ? entered[key] : undefined;
    return value === undefined || value === null || value === ''
      ? []
      : [[key, type === 'number' ? Number(value) : value]];
  });
  return Object.fromEntries(given);
}
