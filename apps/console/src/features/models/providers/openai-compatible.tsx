import type { CreateModelRequest, Model } from '@platform/contracts';
import { AutoComplete, Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { NameField, suggest } from '../model-fields.tsx';
import { ListModels } from './list-models.tsx';
import { PRESETS } from './presets.ts';
import { NEW_MODEL, type ProviderDescriptor } from './provider.ts';
import { useAvailableModels } from './use-available-models.ts';

const PRESET_ID = 'model-preset';
const OTHER = '';

export const openaiCompatibleProvider: ProviderDescriptor = {
  kind: 'openai-compatible',
  initial: { ...NEW_MODEL, provider: 'openai-compatible', baseUrl: 'https://api.openai.com/v1' },
  firstField: PRESET_ID,
  Fields,
};

/** What is typed counts: presets and the list of the server only suggest. */
function Fields({ model }: { model: Model | null }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<CreateModelRequest>();
  const baseUrl = Form.useWatch('baseUrl', form);
  const available = useAvailableModels(form, model);
  const keyNeeded = model === null || (baseUrl !== undefined && baseUrl !== model.baseUrl);
  return (
    <>
      {model === null && <PresetField />}
      <Form.Item
        name="baseUrl"
        label={t('models.baseUrl')}
        extra={t('models.baseUrlHint')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <Input className="mono" inputMode="url" />
      </Form.Item>
      <Form.Item
        name="apiKey"
        label={t('models.apiKey')}
        extra={keyNeeded ? t('models.apiKeyHint') : t('models.apiKeyKept')}
      >
        <Input.Password
          className="mono"
          autoComplete="off"
          placeholder={model?.apiKeyConfigured ? '••••••••' : ''}
        />
      </Form.Item>
      <ListModels available={available} />
      <NameField names={available.names} />
      <Form.Item name="upstreamModel" label={t('models.upstreamModel')} extra={t('models.upstreamModelHint')}>
        <AutoComplete className="mono" {...suggest(available.names)} />
      </Form.Item>
    </>
  );
}

/** Shows whose base URL the form has, and fills in that of another provider. */
function PresetField() {
  const { t } = useTranslation();
  const form = Form.useFormInstance<CreateModelRequest>();
  const baseUrl = withoutSlash(Form.useWatch('baseUrl', form) ?? '');
  const preset = PRESETS.find((one) => one.baseUrl === baseUrl);
  const choose = (value: string) => form.setFields([{ name: 'baseUrl', value, touched: true, errors: [] }]);
  return (
    <Form.Item label={t('models.preset')} htmlFor={PRESET_ID}>
      <Select
        id={PRESET_ID}
        value={preset?.baseUrl ?? OTHER}
        onChange={choose}
        showSearch={{ optionFilterProp: 'label' }}
        options={[
          ...PRESETS.map((one) => ({ value: one.baseUrl, label: one.name })),
          { value: OTHER, label: t('models.presetOther') },
        ]}
      />
    </Form.Item>
  );
}

const withoutSlash = (url: string) => url.trim().replace(/\/+$/, '');
