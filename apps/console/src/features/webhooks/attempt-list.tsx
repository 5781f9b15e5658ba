import type { WebhookAttempt } from '@platform/contracts';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';
import { Time } from '../../ui/format/time.tsx';
import { DeliveryText } from '../deliveries/delivery-text.tsx';

const TONES = {
  RUNNING: 'running',
  ACCEPTED: 'success',
  REFUSED: 'danger',
  NO_RESPONSE: 'danger',
  SERVICE_ERROR: 'danger',
  INTERRUPTED: 'warning',
} as const;

/** What became of an attempt, in short. */
export function nameOutcome(
  t: TFunction,
  outcome: WebhookAttempt['outcome'],
  response: WebhookAttempt['response'],
): string {
  if (response !== null) return `HTTP ${response.status}`;
  if (outcome === 'SERVICE_ERROR') return t('deliveries.serviceError');
  return outcome === 'RUNNING' || outcome === 'INTERRUPTED'
    ? t(`webhooks.outcomes.${outcome}`)
    : t('deliveries.noResponse');
}

/** The attempts of a delivery, newest first. */
export function AttemptList({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  const { t, i18n } = useTranslation();
  return (
    <section className="stack" aria-label={t('webhooks.attempts')}>
      <h2 className="webhook-attempts-title">{t('webhooks.attempts')}</h2>
      {attempts.length === 0 && <p className="muted">{t('webhooks.noAttempts')}</p>}
      <ol className="stack webhook-attempts">
        {attempts.map(({ attempt, at, durationMs, outcome, response }) => (
          <li key={attempt}>
            <div className="row wrap">
              <span className={`badge ${TONES[outcome]}`}>{nameOutcome(t, outcome, response)}</span>
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
      {response?.body != null &&
        (response.body === '' ? (
          <p className="muted">{t('deliveries.emptyResponse')}</p>
        ) : (
          <DeliveryText title={t('deliveries.response')} text={response.body} />
        ))}
    </>
  );
}
