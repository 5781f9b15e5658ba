import type { SpeechToolConfiguration } from '@platform/contracts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';

interface SpeechStatusProps {
  configuration: SpeechToolConfiguration;
  isAdmin: boolean;
}

/** Whether speech recognition can be used, and what is missing. The values of the credentials are never shown. */
export function SpeechStatus({ configuration, isAdmin }: SpeechStatusProps) {
  const { t } = useTranslation();
  const { credentials, problems, region, endpoint, engineType } = configuration;
  const isReady = problems.length === 0;
  return (
    <div className="stack">
      <Facts>
        <Fact name={t('speech.state')}>
          <span className={`badge ${isReady ? 'success' : 'warning'}`}>
            {t(isReady ? 'speech.ready' : 'speech.notReady')}
          </span>
        </Fact>
        <Fact name={t('speech.credentials')}>{t(`speech.sources.${credentials}`)}</Fact>
        <Fact name={t('speech.region')}>
          <span className="mono">{region}</span>
        </Fact>
        <Fact name={t('speech.engineType')}>
          {engineType === null ? t('speech.followsLanguage') : <span className="mono">{engineType}</span>}
        </Fact>
        {endpoint !== null && (
          <Fact name={t('speech.endpoint')}>
            <span className="mono">{endpoint}</span>
          </Fact>
        )}
      </Facts>
      {!isReady && (
        <Alert
          type="warning"
          showIcon
          title={t('speech.problems')}
          description={
            <>
              {problems.map((problem) => (
                <p key={problem}>{problem}</p>
              ))}
              {!isAdmin && <p>{t('speech.askAdmin')}</p>}
            </>
          }
        />
      )}
    </div>
  );
}
