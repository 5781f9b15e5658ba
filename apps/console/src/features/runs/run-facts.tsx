import type { Run } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';

/** How the run was started. */
export function RunCause({ run: { origin, trigger } }: { run: Run }) {
  const { t } = useTranslation();
  return trigger === null ? t(`runs.origins.${origin}`) : t('runs.byEvent', { event: trigger.event });
}

export function RunDuration({ run: { startedAt, finishedAt } }: { run: Run }) {
  const { i18n } = useTranslation();
  if (startedAt === null) return '–';
  const end = finishedAt === null ? Date.now() : Date.parse(finishedAt);
  return formatDuration(end - Date.parse(startedAt), i18n.language);
}
