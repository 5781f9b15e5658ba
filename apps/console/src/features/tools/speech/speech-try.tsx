import { SPEECH_LANGUAGES, type SpeechToolConfiguration } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button, Select } from 'antd';
import { useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api.ts';
import { toDataUri } from '../../../ui/browser/data-uri.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { SpeechClip } from './speech-clip.tsx';
import { SpeechResult } from './speech-result.tsx';
import { useLanguageNames } from './use-language-names.ts';

/** The choice of the language that is configured. */
const DEFAULT = '';

/** Records or takes a clip, recognizes it, and shows the text or what went wrong. */
export function SpeechTry({ configuration }: { configuration: SpeechToolConfiguration }) {
  const { t } = useTranslation();
  const nameOf = useLanguageNames();
  const [clip, setClip] = useState<File | null>(null);
  const [language, setLanguage] = useState<string>(DEFAULT);
  const running = useRef<AbortController | null>(null);

  const call = useMutation({
    mutationFn: async (file: File) => {
      const controller = new AbortController();
      running.current = controller;
      const input = {
        audio: await toDataUri(file),
        filename: file.name,
        ...(language !== DEFAULT && { language }),
      };
      const options = { timeoutMs: 0, signal: controller.signal };
      return client.tools.invoke('speech_recognition', 'recognize', { input }, options);
    },
  });
  const { reset } = call;
  const choose = useCallback(
    (file: File) => {
      running.current?.abort();
      reset();
      setClip(file);
    },
    [reset],
  );
  const cancel = () => {
    running.current?.abort();
    reset();
  };

  const isTooLarge = clip !== null && clip.size > configuration.maxFileSize;
  return (
    <div className="stack">
      <SpeechClip
        clip={clip}
        maxSeconds={configuration.maxDuration}
        maxBytes={configuration.maxFileSize}
        onClip={choose}
      />
      <div className="row wrap">
        <Select
          className="speech-language"
          showSearch={{ optionFilterProp: 'label' }}
          aria-label={t('speech.language')}
          value={language}
          onChange={setLanguage}
          options={[
            {
              value: DEFAULT,
              label: t('speech.defaultNamed', { language: nameOf(configuration.defaultLanguage) }),
            },
            ...SPEECH_LANGUAGES.map((value) => ({ value, label: nameOf(value) })),
          ]}
        />
        <Button
          type="primary"
          disabled={clip === null || isTooLarge}
          loading={call.isPending}
          onClick={() => clip && call.mutate(clip)}
        >
          {t('speech.recognize')}
        </Button>
        {call.isPending && <Button onClick={cancel}>{t('common.cancel')}</Button>}
      </div>
      <div className="stack" aria-live="polite">
        {call.isError && (
          <section className="error-box" role="alert">
            <strong>{t('toolPages.rejected')}</strong>
            <p>{getErrorMessage(call.error, t)}</p>
          </section>
        )}
        {call.data && <SpeechResult result={call.data} />}
      </div>
    </div>
  );
}
