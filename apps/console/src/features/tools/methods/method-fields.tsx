import { Form, Input, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { PolicyField } from '../../approvals/policy-field.tsx';
import '../../approvals/approvals.css';
import { CodeField } from '../../../ui/code/code-field.tsx';
import { parseSchema } from '../../../ui/code/parse-json.ts';

const NUMBERS = [
  { name: ['cache', 'ttlSeconds'], label: 'cacheSeconds', min: 0, max: 86_400 },
  { name: ['timeoutMs'], label: 'timeout', min: 1_000, max: 300_000 },
  { name: ['retry', 'attempts'], label: 'retries', min: 0, max: 5 },
  { name: ['retry', 'backoffMs'], label: 'backoff', min: 0, max: 60_000 },
] as const;
const POINTERS = ['/id', '/items/name'].join('\n');
const SCHEMAS = ['inputSchema', 'outputSchema'] as const;

/** The fields of a stored method. */
export function MethodFields() {
  const { t } = useTranslation();
  const isObject = {
    validator: (_: unknown, text: string) =>
      parseSchema(text) === undefined
        ? Promise.reject(new Error(t('toolPages.notAnObject')))
        : Promise.resolve(),
  };
  return (
    <>
      <Form.Item
        name="name"
        label={t('common.name')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input className="mono" maxLength={64} />
      </Form.Item>
      <Form.Item name="description" label={t('common.description')}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} />
      </Form.Item>
      <div className="form-pair">
        {NUMBERS.map(({ name, label, min, max }) => (
          <Form.Item
            key={label}
            name={[...name]}
            label={t(`toolPages.${label}`)}
            extra={label === 'cacheSeconds' ? t('toolPages.cacheHint') : undefined}
            rules={[{ required: true, message: t('common.required') }]}
          >
            <InputNumber min={min} max={max} precision={0} style={{ width: '100%' }} />
          </Form.Item>
        ))}
      </div>
      <Form.Item name="policy" label={t('approvals.policy')} extra={t('approvals.methodHint')}>
        <PolicyField label={t('approvals.policy')} preset={t('approvals.preset')} />
      </Form.Item>
      {SCHEMAS.map((name) => (
        <Form.Item key={name} name={name} label={t(`toolPages.${name}`)} rules={[isObject]}>
          <CodeField language="json" label={t(`toolPages.${name}`)} minHeight="160px" />
        </Form.Item>
      ))}
      <Form.Item
        name="outputFields"
        label={t('toolPages.outputFields')}
        extra={t('toolPages.outputFieldsHint')}
      >
        <Input.TextArea className="mono" placeholder={POINTERS} autoSize={{ minRows: 2, maxRows: 10 }} />
      </Form.Item>
    </>
  );
}
