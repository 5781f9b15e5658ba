import type { Task } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';

/** How a task is started, and whether it is enabled. */
export function TaskSummary({ task: { type, enabled, disabledReason, nextDueAt } }: { task: Task }) {
  const { t } = useTranslation();
  return (
    <span className="row wrap">
      <span className="badge plain">{t(`tasks.types.${type}`)}</span>
      {!enabled && (
        <span className="badge warning">
          {disabledReason === null ? t('tasks.disabled') : t(`tasks.disabledReasons.${disabledReason}`)}
        </span>
      )}
      {enabled && nextDueAt !== null && (
        <span>
          {t('tasks.next')} <Time iso={nextDueAt} />
        </span>
      )}
    </span>
  );
}
