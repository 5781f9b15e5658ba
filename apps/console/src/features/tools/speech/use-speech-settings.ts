import type { SpeechToolConfiguration, UpdateSpeechToolRequest } from '@platform/contracts';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { listFieldNames } from '../../../ui/forms/field-names.ts';
import { useConfirmDelete } from '../../../ui/forms/use-confirm-delete.ts';

/** What an error of the service can refer to. */
export const SPEECH_FIELDS = listFieldNames<keyof UpdateSpeechToolRequest>({
  secretId: true,
  secretKey: true,
  appId: true,
  region: true,
  engineType: true,
  defaultLanguage: true,
  timeout: true,
  maxFileSize: true,
  maxDuration: true,
  endpoint: true,
  protocol: true,
});

/** The values of the form. Empty secrets keep the stored ones. */
export type SpeechValues = Omit<SpeechToolConfiguration, 'credentials' | 'problems'> & {
  secretId?: string;
  secretKey?: string;
};

/** Saves the settings, and removes the stored secrets. */
export function useSpeechSettings(stored: SpeechValues) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();

  const save = async (values: SpeechValues) => {
    queryClient.setQueryData(keys.speech, await client.tools.updateSpeech(toRequest(values)));
    void message.success(t('speech.saved'));
  };

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

  return { save, clear };
}

/** Leaves out what is empty: a secret then stays as it is, and everything else returns to its default. */
function toRequest(values: SpeechValues): UpdateSpeechToolRequest {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== null);
  return Object.fromEntries(given);
}
