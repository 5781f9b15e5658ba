import type { CreateModelRequest, Model } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Checkbox, Drawer, Form, Input, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import './models.css';

const FIELDS = [
  'name',
  'baseUrl',
  'apiKey',
  'upstreamModel',
  'contextWindow',
  'maxOutputTokens',
  'price.inputPerMillion',
  'price.outputPerMillion',
  'price.cachedInputPerMillion',
];
const PRICES = ['inputPerMillion', 'outputPerMillion', 'cachedInputPerMillion'] as const;
const CAPABILITIES = ['images', 'audio', 'files', 'tools'] as const;

const NEW_MODEL: CreateModelRequest = {
  name: '',
  baseUrl: 'https://api.openai.com/v1',
  capabilities: { images: true, audio: false, files: false, tools: true },
};

/** Creates or edits a model. API keys are write-only: an empty field keeps the stored key. */
export function ModelDrawer({ model, onClose }: { model: Model | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<CreateModelRequest>();
  const showErrors = useFormErrors(form, FIELDS);
  const baseUrl = Form.useWatch('baseUrl', form);
  const keyNeeded = model === null || (baseUrl !== undefined && baseUrl !== model.baseUrl);

  const close = useGuardedClose(() => form.isFieldsTouched(), onClose);

  const save = useMutation({
    mutationFn: ({ apiKey, ...values }: CreateModelRequest) => {
      const request = { ...values, ...(apiKey && { apiKey }) };
      return model === null
        ? client.models.create({ provider: 'openai-compatible', ...request })
        : client.models.update(model.id, request);
    },
    onSuccess: async ({ name }) => {
      await queryClient.invalidateQueries({ queryKey: keys.models });
      // Agents contain the status of their model.
      void queryClient.invalidateQueries({ queryKey: keys.agents });
      void message.success(t('models.saved', { name }));
      onClose();
    },
    onError: showErrors,
  });

  return (
    <Drawer
      open
      onClose={close}
      afterOpenChange={(opened) => opened && model === null && form.focusField('name')}
      size={480}
      title={model === null ? t('models.create') : model.name}
      footer={
        <div className="row" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" loading={save.isPending} onClick={form.submit}>
            {t('common.save')}
          </Button>
        </div>
      }
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={model ?? NEW_MODEL}
        onFinish={(values) => save.mutate(values)}
      >
        <Form.Item
          name="name"
          label={t('common.name')}
          extra={t('models.nameHint')}
          rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        >
          <Input className="mono" placeholder="gpt-5-mini" />
        </Form.Item>
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
        <Form.Item
          name="upstreamModel"
          label={t('models.upstreamModel')}
          extra={t('models.upstreamModelHint')}
        >
          <Input className="mono" />
        </Form.Item>
        <div className="field-grid">
          <Form.Item name="contextWindow" label={t('models.contextWindow')}>
            <InputNumber min={1} precision={0} placeholder="128000" style={{ width: '100%' }} />
          </Form.Item>
          <Form.Item name="maxOutputTokens" label={t('models.maxOutputTokens')}>
            <InputNumber min={1} precision={0} placeholder="4096" style={{ width: '100%' }} />
          </Form.Item>
        </div>
        <fieldset>
          <legend>{t('models.pricePerMillion')}</legend>
          <div className="field-grid three">
            {PRICES.map((part) => (
              <Form.Item key={part} name={['price', part]} label={t(`models.prices.${part}`)}>
                <InputNumber min={0} step={0.1} placeholder="0" style={{ width: '100%' }} />
              </Form.Item>
            ))}
          </div>
        </fieldset>
        <fieldset>
          <legend>{t('models.capabilities')}</legend>
          <div className="row wrap">
            {CAPABILITIES.map((name) => (
              <Form.Item key={name} name={['capabilities', name]} valuePropName="checked" noStyle>
                <Checkbox>{t(`models.capability.${name}`)}</Checkbox>
              </Form.Item>
            ))}
          </div>
        </fieldset>
      </Form>
    </Drawer>
  );
}
