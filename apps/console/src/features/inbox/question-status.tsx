import type { QuestionListing } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const COLORS = { OPEN: 'warning', ANSWERED: 'success', EXPIRED: 'plain', CANCELLED: 'plain' } as const;

/** The status of a question; of an answer that approves or rejects, what it was. */
export function QuestionStatusBadge({ question: { status, approved } }: { question: QuestionListing }) {
  const { t } = useTranslation();
  if (approved === null)
    return <span className={`badge ${COLORS[status]}`}>{t(`inbox.statuses.${status}`)}</span>;
  return (
    <span className={`badge ${approved ? 'success' : 'danger'}`}>
      {t(approved ? 'inbox.approved' : 'inbox.rejected')}
    </span>
  );
}
