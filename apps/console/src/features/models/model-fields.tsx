import { MODEL_KINDS, type ModelCapabilities, type ModelPrice } from '@platform/contracts';
import { AutoComplete, Checkbox, Form, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { keysOf } from '../../ui/forms/field-names.ts';

/** In the order of the form. */
export const PRICES = {
  inputPerMillion: true,
  outputPerMillion: true,
  cachedInputPerMillion: true,
} as const satisfies Record<keyof ModelPrice, true>;
const CAPABILITIES = {
  images: true,
  audio: true,
  files: true,
  tools: true,
} as const satisfies Record<keyof ModelCapabilities, true>;

/** The properties of a field that suggests these names, and accepts any. */
export function suggest(names: readonly string[]) {
  const filterOption = (typed: string, option?: { value: string }) =>
    names.includes(typed) || (option?.value ?? '').toLowerCase().includes(typed.toLowerCase());
  return {
    options: names.map((value) => ({ value })),
    showSearch: { filterOption },
    showAction: ['focus' as const, 'click' as const],
  };
}

/** The name that agents use; suggests the names by which the provider knows its models. */
export function NameField({ names = [] }: { names?: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="name"
      label={t('common.name')}
      extra={t('models.nameHint')}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
    >
      <AutoComplete className="mono" placeholder="gpt-5-mini" {...suggest(names)} />
    </Form.Item>
  );
}

/** What the model does. */
export function KindField() {
  const { t } = useTranslation();
  return (
    <Form.Item name="kind" label={t('models.kind')} extra={t('models.kindHint')}>
      <Select options={MODEL_KINDS.map((value) => ({ value, label: t(`models.kinds.${value}`) }))} />
    </Form.Item>
  );
}

/** The limits of a model in tokens. */
export function LimitFields() {
  const { t } = useTranslation();
  return (
    <div className="field-grid">
      <Form.Item name="contextWindow" label={t('models.contextWindow')}>
        <InputNumber min={1} precision={0} placeholder="128000" style={{ width: '100%' }} />
      </Form.Item>
      <Form.Item name="maxOutputTokens" label={t('models.maxOutputTokens')}>
        <InputNumber min={1} precision={0} placeholder="4096" style={{ width: '100%' }} />
      </Form.Item>
    </div>
  );
}

export function PriceFields() {
  const { t } = useTranslation();
  return (
    <fieldset>
      <legend>{t('models.pricePerMillion')}</legend>
      <div className="field-grid three">
        {keysOf(PRICES).map((part) => (
          <Form.Item key={part} name={['price', part]} label={t(`models.prices.${part}`)}>
            <InputNumber min={0} step={0.1} placeholder="0" style={{ width: '100%' }} />
          </Form.Item>
        ))}
      </div>
    </fieldset>
  );
}

export function CapabilityFields() {
  const { t } = useTranslation();
  return (
    <fieldset>
      <legend>{t('models.capabilities')}</legend>
      <div className="row wrap">
        {keysOf(CAPABILITIES).map((name) => (
          <Form.Item key={name} name={['capabilities', name]} valuePropName="checked" noStyle>
            <Checkbox>{t(`models.capability.${name}`)}</Checkbox>
          </Form.Item>
        ))}
      </div>
    </fieldset>
  );
}
