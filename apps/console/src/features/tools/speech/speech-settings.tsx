import type { SpeechToolConfiguration } from '@platform/contracts';
import { Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { SpeechFields } from './speech-fields.tsx';
import { useSpeechMutations, type SpeechValues } from './use-speech-mutations.ts';

export function SpeechSettings({ configuration }: { configuration: SpeechToolConfiguration }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<SpeechValues>();
  const { credentials, problems: _, ...stored } = configuration;
  const isStored = credentials === 'space';
  const { save, clear } = useSpeechMutations(form, stored);

  return (
    <Form<SpeechValues>
      name="speech"
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={stored}
      onFinish={(values) => save.mutate(values)}
    >
      <SpeechFields isStored={isStored} />
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
