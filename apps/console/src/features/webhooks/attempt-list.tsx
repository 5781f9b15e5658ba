import type { WebhookAttempt } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';
import { Time } from '../../ui/format/time.tsx';
import { DeliveryText } from '../deliveries/delivery-text.tsx';

const TONES = {
  RUNNING: 'running',
  ACCEPTED: 'success',
  REFUSED: 'danger',
  NO_RESPONSE: 'danger',
  INTERRUPTED: 'warning',
} as const;

/** The attempts of a delivery, newest first. */
export function AttemptList({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  const { t, i18n } = useTranslation();
  return (
    <section className="stack" aria-label={t('webhooks.attempts')}>
      <h3>{t('webhooks.attempts')}</h3>
      {attempts.length === 0 && <p className="muted">{t('webhooks.noAttempts')}</p>}
      <ol className="stack webhook-attempts">
        {attempts.map(({ attempt, at, durationMs, outcome, response }) => (
          <li key={attempt}>
            <div className="row wrap">
              <span className={`badge ${TONES[outcome]}`}>
                {t(`webhooks.outcomes.${outcome}`, { status: response?.status })}
              </span>
              <span>{t('webhooks.attempt', { attempt })}</span>
              <span className="muted">
                <Time iso={at} />
                {durationMs !== null && ` · ${formatDuration(durationMs, i18n.language)}`}
              </span>
            </div>
            <Outcome outcome={outcome} response={response} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Why a message was not accepted, and what the server responded. */
export function Outcome({ outcome, response }: Pick<WebhookAttempt, 'outcome' | 'response'>) {
  const { t } = useTranslation();
  return (
    <>
      {outcome !== 'RUNNING' && outcome !== 'ACCEPTED' && (
        <p className="muted">{t(`webhooks.reasons.${outcome}`)}</p>
      )}
      {response !== null &&
        (response.body === '' ? (
          <p className="muted">{t('deliveries.emptyResponse')}</p>
        ) : (
          <DeliveryText title={t('deliveries.response')} text={response.body} />
        ))}
    </>
  );
}
