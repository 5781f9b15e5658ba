import type { Task, TaskResult } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { createDetails } from '../../ui/charts/dots.ts';
import { ResultBars } from '../../ui/charts/result-bars.tsx';
import { formatDuration } from '../../ui/format/duration.ts';
import { RUN_TONES } from '../runs/run-tones.ts';

interface TaskResultBarsProps {
  task: Task;
  /** The newest first; undefined if they are not known. */
  results: readonly TaskResult[] | undefined;
}

/** The last runs of a task that have ended, as bars. */
export function TaskResultBars({ task: { name }, results }: TaskResultBarsProps) {
  const { t, i18n } = useTranslation();
  if (results === undefined) return null;
  if (results.length === 0) return <span className="muted">{t('tasks.noResults')}</span>;
  const detailsOf = createDetails(i18n.language);
  const bars = results.toReversed().map(({ id, status, durationMs, createdAt }) => ({
    key: id,
    value: durationMs,
    tone: RUN_TONES[status],
    to: paths.run(id),
    label: detailsOf(
      [
        t(`runs.statuses.${status}`),
        ...(durationMs === null ? [] : [formatDuration(durationMs, i18n.language)]),
      ],
      createdAt,
    ),
  }));
  const failed = results.filter(({ status }) => status === 'FAILED' || status === 'INTERRUPTED').length;
  return <ResultBars bars={bars} label={t('tasks.resultsOf', { name, total: results.length, failed })} />;
}
