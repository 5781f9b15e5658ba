import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Checkbox, Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { BODY_TYPES, PLACES, TYPES, VERBS, type ParameterValues } from './new-method.ts';

/** The fields of a method that is made by hand, named as in the request: under `methods[0]` in the form around them. */
export function NewMethodFields() {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const parameters = Form.useWatch(['methods', 0, 'parameters'], form) as
    Partial<ParameterValues>[] | undefined;
  const hasBody = parameters?.some((parameter) => parameter.in === 'body') ?? false;
  const required = { required: true, whitespace: true, message: t('common.required') };
  return (
    <>
      <Form.Item
        name={['methods', 0, 'name']}
        label={t('toolNew.methodName')}
        rules={[required, { pattern: /^[A-Za-z0-9_-]*$/, message: t('toolNew.nameRule') }]}
      >
        <Input className="mono" maxLength={64} placeholder="getOrder" />
      </Form.Item>
      <div className="endpoint-fields">
        <Form.Item name={['methods', 0, 'httpMethod']} label={t('toolNew.verb')}>
          <Select options={VERBS.map((value) => ({ value, label: value.toUpperCase() }))} />
        </Form.Item>
        <Form.Item
          name={['methods', 0, 'path']}
          label={t('toolPages.path')}
          extra={t('toolNew.pathHint')}
          rules={[required, { pattern: /^\/\S*$/, message: t('toolNew.pathRule') }]}
        >
          <Input className="mono" maxLength={2_000} placeholder="/orders/{id}" />
        </Form.Item>
      </div>
      <Form.Item
        name={['methods', 0, 'description']}
        label={t('toolNew.methodDescription')}
        extra={t('toolNew.descriptionHint')}
      >
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={10_000} />
      </Form.Item>
      <ParameterFields />
      {hasBody && (
        <Form.Item
          className="body-type"
          name={['methods', 0, 'bodyMediaType']}
          label={t('toolNew.bodyType')}
          initialValue="application/json"
        >
          <Select options={BODY_TYPES.map((value) => ({ value, label: value }))} />
        </Form.Item>
      )}
    </>
  );
}

function ParameterFields() {
  const { t } = useTranslation();
  return (
    <Form.List name={['methods', 0, 'parameters']}>
      {(fields, { add, remove }) => (
        <section className="stack" aria-label={t('toolNew.parameters')}>
          {fields.map(({ key, name }, i) => (
            <ParameterRow key={key} name={name} number={i + 1} onRemove={() => remove(name)} />
          ))}
          <div>
            <Button
              icon={<PlusOutlined aria-hidden />}
              onClick={() => add({ name: '', in: 'query', type: 'string' } satisfies ParameterValues)}
            >
              {t('toolNew.addParameter')}
            </Button>
          </div>
        </section>
      )}
    </Form.List>
  );
}

interface ParameterRowProps {
  /** Its index in the form. */
  name: number;
  number: number;
  onRemove: () => void;
}

function ParameterRow({ name, number, onRemove }: ParameterRowProps) {
  const { t } = useTranslation();
  const required = { required: true, whitespace: true, message: t('common.required') };
  return (
    <div className="parameter-fields" role="group" aria-label={t('toolNew.parameter', { number })}>
      <Form.Item name={[name, 'name']} rules={[required]}>
        <Input className="mono" aria-label={t('common.name')} placeholder="limit" maxLength={200} />
      </Form.Item>
      <Form.Item name={[name, 'in']}>
        <Select
          aria-label={t('toolPages.authIn')}
          options={PLACES.map((value) => ({ value, label: t(`toolNew.places.${value}`) }))}
        />
      </Form.Item>
      <Form.Item name={[name, 'type']}>
        <Select aria-label={t('toolNew.type')} options={TYPES.map((value) => ({ value, label: value }))} />
      </Form.Item>
      <Form.Item name={[name, 'required']} valuePropName="checked">
        <Checkbox>{t('toolNew.required')}</Checkbox>
      </Form.Item>
      <Button
        type="text"
        icon={<DeleteOutlined aria-hidden />}
        aria-label={t('toolNew.removeParameter', { number })}
        onClick={onRemove}
      />
    </div>
  );
}
