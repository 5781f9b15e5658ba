import type { KnowledgePageStatus, KnowledgeSource, KnowledgeSourceStatus } from '@platform/contracts';
import { Progress } from 'antd';
import { useTranslation } from 'react-i18next';

const BADGES: Record<KnowledgeSourceStatus, string> = {
  WAITING: 'plain',
  FETCHING: 'running',
  READY: 'success',
  FAILED: 'danger',
};
const PAGE_BADGES: Record<KnowledgePageStatus, string> = {
  WAITING: 'plain',
  FETCHED: 'success',
  UNCHANGED: 'success',
  FAILED: 'danger',
  SKIPPED: 'plain',
};
const HOURS_PER_DAY = 24;

export function SourceStatus({ source: { status } }: { source: KnowledgeSource }) {
  const { t } = useTranslation();
  return <span className={`badge ${BADGES[status]}`}>{t(`knowledge.sources.statuses.${status}`)}</span>;
}

export function PageStatus({ status }: { status: KnowledgePageStatus }) {
  const { t } = useTranslation();
  return (
    <span className={`badge ${PAGE_BADGES[status]}`}>{t(`knowledge.sources.pageStatuses.${status}`)}</span>
  );
}

/** How far a fetch is, and how many of its pages are none or have failed. */
export function SourceProgress({ source }: { source: KnowledgeSource }) {
  const { t } = useTranslation();
  const { waiting, fetched, unchanged, failed, skipped } = source.pages;
  const total = waiting + fetched + unchanged + failed + skipped;
  return (
    <>
      {t('knowledge.sources.done', { done: total - waiting, total })}
      {source.status === 'FETCHING' && total > 0 && (
        <Progress
          percent={((total - waiting) / total) * 100}
          showInfo={false}
          size="small"
          aria-label={t('knowledge.sources.progressLabel', { url: source.url })}
        />
      )}
      {failed > 0 && <p className="danger-text">{t('knowledge.sources.failed', { count: failed })}</p>}
      {skipped > 0 && <p className="muted">{t('knowledge.sources.skipped', { count: skipped })}</p>}
    </>
  );
}

/** Names how often a source is fetched. */
export function useScheduleName(): (everyHours: number | null) => string {
  const { t } = useTranslation();
  return (everyHours) => {
    if (everyHours === null) return t('knowledge.sources.manual');
    return everyHours % HOURS_PER_DAY === 0
      ? t('knowledge.sources.everyDays', { count: everyHours / HOURS_PER_DAY })
      : t('knowledge.sources.everyHours', { count: everyHours });
  };
}
