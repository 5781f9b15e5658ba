import type { CreateModelRequest, Model } from '@platform/contracts';
import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { NEW_MODEL, type ProviderDescriptor } from './provider.ts';

export const openaiCompatibleProvider: ProviderDescriptor = {
  kind: 'openai-compatible',
  initial: { ...NEW_MODEL, provider: 'openai-compatible', baseUrl: 'https://api.openai.com/v1' },
  Fields,
};

function Fields({ model }: { model: Model | null }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<CreateModelRequest>();
  const baseUrl = Form.useWatch('baseUrl', form);
  const keyNeeded = model === null || (baseUrl !== undefined && baseUrl !== model.baseUrl);
  return (
    <>
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
      <Form.Item name="upstreamModel" label={t('models.upstreamModel')} extra={t('models.upstreamModelHint')}>
        <Input className="mono" />
      </Form.Item>
    </>
  );
}
