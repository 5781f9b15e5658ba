import type { KnowledgeStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const BADGES: Record<KnowledgeStatus, string> = {
  PROCESSING: 'running',
  READY: 'success',
  FAILED: 'danger',
};

export function DocumentStatus({ status }: { status: KnowledgeStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${BADGES[status]}`}>{t(`knowledge.statuses.${status}`)}</span>;
}
