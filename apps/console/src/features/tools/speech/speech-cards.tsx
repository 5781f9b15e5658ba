import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { Loaded } from '../../../ui/layout/states.tsx';
import { useIsAdmin } from '../../auth/session.ts';
import { speechQuery } from './speech-query.ts';
import { SpeechSettings } from './speech-settings.tsx';
import { SpeechStatus } from './speech-status.tsx';
import { SpeechTry } from './speech-try.tsx';
import './speech.css';

/** What the page of speech recognition shows besides its methods: whether it works, a trial, and its configuration. */
export function SpeechCards() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const speech = useQuery(speechQuery);
  return (
    <Loaded query={speech}>
      {(configuration) => (
        <>
          <Card title={t('speech.status')}>
            <SpeechStatus configuration={configuration} isAdmin={isAdmin} />
          </Card>
          <Card title={t('speech.try')} text={t('speech.tryText')}>
            <SpeechTry configuration={configuration} />
          </Card>
          {isAdmin && (
            <Card title={t('speech.configuration')}>
              <SpeechSettings configuration={configuration} />
            </Card>
          )}
        </>
      )}
    </Loaded>
  );
}
