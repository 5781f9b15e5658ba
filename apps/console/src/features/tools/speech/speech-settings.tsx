import {
  SPEECH_LANGUAGES,
  type SpeechToolConfiguration,
  type UpdateSpeechToolRequest,
} from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Form, Input, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { useConfirmDelete } from '../../../ui/forms/use-confirm-delete.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { useLanguageNames } from './use-language-names.ts';

const FIELDS = [
  ...['secretId', 'secretKey', 'appId', 'region', 'engineType', 'defaultLanguage', 'timeout'],
  ...['maxFileSize', 'maxDuration', 'endpoint', 'protocol'],
];

/** The values of the form. Empty secrets keep the stored ones. */
type Values = Omit<SpeechToolConfiguration, 'credentials' | 'problems'> & {
  secretId?: string;
  secretKey?: string;
};

export function SpeechSettings({ configuration }: { configuration: SpeechToolConfiguration }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  const [form] = Form.useForm<Values>();
  const showErrors = useFormErrors(form, FIELDS);
  const nameOf = useLanguageNames();
  const { credentials, problems: _, ...stored } = configuration;
  const isStored = credentials === 'space';

  const save = useMutation({
    mutationFn: (values: Values) => client.tools.updateSpeech(toRequest(values)),
    onSuccess: (saved) => {
      queryClient.setQueryData(keys.speech, saved);
      form.setFieldsValue({ secretId: '', secretKey: '' });
      void message.success(t('speech.saved'));
    },
    onError: showErrors,
  });

  const clear = () =>
    confirm({
      title: t('speech.clearTitle'),
      text: t('speech.clearText'),
      verb: t('speech.clear'),
      run: async () => {
        const request = { ...toRequest(stored), secretId: '', secretKey: '' };
        queryClient.setQueryData(keys.speech, await client.tools.updateSpeech(request));
      },
    });

  const kept = isStored ? t('speech.secretKept') : t('toolPages.secretHint');
  const secret = { className: 'mono', autoComplete: 'off', placeholder: isStored ? '••••••••' : '' };
  const wide = { style: { width: '100%' } };
  return (
    <Form<Values>
      name="speech"
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={stored}
      onFinish={(values) => save.mutate(values)}
    >
      <div className="speech-grid">
        <Form.Item name="secretId" label={t('speech.secretId')} extra={kept}>
          <Input.Password {...secret} autoComplete="new-password" visibilityToggle={false} />
        </Form.Item>
        <Form.Item name="secretKey" label={t('speech.secretKey')} extra={t('speech.secretKeyHint')}>
          <Input.Password {...secret} autoComplete="new-password" />
        </Form.Item>
        <Form.Item name="appId" label={t('speech.appId')}>
          <Input className="mono" autoComplete="off" />
        </Form.Item>
        <Form.Item name="region" label={t('speech.region')}>
          <Input className="mono" placeholder="ap-guangzhou" />
        </Form.Item>
        <Form.Item name="engineType" label={t('speech.engineType')}>
          <Input className="mono" placeholder="16k_zh" />
        </Form.Item>
        <Form.Item name="defaultLanguage" label={t('speech.defaultLanguage')}>
          <Select options={SPEECH_LANGUAGES.map((value) => ({ value, label: nameOf(value) }))} />
        </Form.Item>
        <Form.Item name="timeout" label={t('speech.timeout')}>
          <InputNumber min={5_000} max={300_000} step={1_000} precision={0} {...wide} />
        </Form.Item>
        <Form.Item name="maxDuration" label={t('speech.maxDuration')}>
          <InputNumber min={1} max={60} {...wide} />
        </Form.Item>
        <Form.Item name="maxFileSize" label={t('speech.maxFileSize')}>
          <InputNumber min={1} max={5_242_880} step={1_024} precision={0} {...wide} />
        </Form.Item>
        <Form.Item name="protocol" label={t('speech.protocol')}>
          <Select options={['https', 'http'].map((value) => ({ value, label: value }))} />
        </Form.Item>
        <Form.Item
          className="two"
          name="endpoint"
          label={t('speech.endpoint')}
          extra={t('speech.endpointHint')}
        >
          <Input className="mono" placeholder="asr.tencentcloudapi.com" />
        </Form.Item>
      </div>
      <div className="row wrap">
        <Button type="primary" htmlType="submit" loading={save.isPending}>
          {t('common.save')}
        </Button>
        {isStored && (
          <Button danger onClick={clear}>
            {t('speech.clear')}
          </Button>
        )}
      </div>
    </Form>
  );
}

/** Leaves out what is empty: a secret then stays as it is, and everything else returns to its default. */
function toRequest(values: Values): UpdateSpeechToolRequest {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== null);
  return Object.fromEntries(given);
}
