import { ExclamationCircleFilled, QuestionCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { Time } from '../../ui/format/time.tsx';
import { useIsAdmin } from '../auth/session.ts';
import { useAttention } from './use-attention.tsx';

/** Questions that wait for the user, and what failed lately, with the reason. Nothing if there is nothing to do. */
export function Attention() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const { entries, error, retry } = useAttention(isAdmin);
  if (entries.length === 0 && error === null) return null;

  return (
    <section className="card" aria-label={t('overview.attention')}>
      <header className="card-head row">
        <h2 className="grow">{t('overview.attention')}</h2>
        <Link to={paths.traces({ status: 'FAILED', ...(isAdmin && { scope: 'space' }) })}>
          {t('overview.failedTurns')}
        </Link>
        <Link to={paths.failures()}>{t('overview.failedRuns')}</Link>
      </header>
      {error !== null && (
        <div className="card-body row" role="alert">
          <span className="danger-text grow">{getErrorMessage(error, t)}</span>
          <Button size="small" onClick={retry}>
            {t('common.tryAgain')}
          </Button>
        </div>
      )}
      <ul className="card-body latest">
        {entries.map(({ key, at, to, isQuestion, title, reason }) => (
          <li key={key}>
            {isQuestion ? (
              <QuestionCircleFilled aria-hidden className="warning-text" />
            ) : (
              <ExclamationCircleFilled aria-hidden className="danger-text" />
            )}
            <span className="grow attention-text">
              <Link to={to} className="primary-link truncate">
                {title}
              </Link>
              <span className="muted truncate">{reason}</span>
            </span>
            <span className="muted latest-time">
              <Time iso={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
