import type { SpeechToolConfiguration } from '@platform/contracts';
import { Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePageForm } from '../../../ui/forms/use-page-form.ts';
import { SpeechFields } from './speech-fields.tsx';
import { SPEECH_FIELDS, useSpeechSettings, type SpeechValues } from './use-speech-settings.ts';

export function SpeechSettings({ configuration }: { configuration: SpeechToolConfiguration }) {
  const { t } = useTranslation();
  const { credentials, problems: _, ...stored } = configuration;
  const isStored = credentials === 'space';
  const { save, clear } = useSpeechSettings(stored);
  const { form, formProps, isSending } = usePageForm<SpeechValues>({
    initial: stored,
    fields: SPEECH_FIELDS,
    saved: false,
    onSubmit: async (values) => {
      await save(values);
      form.setFieldsValue({ secretId: '', secretKey: '' });
    },
  });

  return (
    <Form<SpeechValues> {...formProps} name="speech">
      <SpeechFields isStored={isStored} />
      <div className="row wrap">
        <Button type="primary" htmlType="submit" loading={isSending}>
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
