import { SPEECH_LANGUAGES } from '@platform/contracts';
import { Form, Input, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useLanguageNames } from './use-language-names.ts';

/** The fields of the speech tool. `isStored`: whether the space has its own secrets. */
export function SpeechFields({ isStored }: { isStored: boolean }) {
  const { t } = useTranslation();
  const nameOf = useLanguageNames();
  const kept = isStored ? t('speech.secretKept') : t('toolPages.secretHint');
  const secret = { className: 'mono', autoComplete: 'off', placeholder: isStored ? '••••••••' : '' };
  const wide = { style: { width: '100%' } };
  return (
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
        <Input className="mono" placeholder={t('speech.followsLanguage')} />
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
  );
}
