import type { RunListing } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';

/** How the run was started. */
export function RunCause({ run: { origin, trigger } }: { run: RunListing }) {
  const { t } = useTranslation();
  return trigger === null ? t(`runs.origins.${origin}`) : t('runs.byEvent', { event: trigger.event });
}

/** How long the current attempt took, or has taken so far. */
export function RunDuration({ run: { startedAt, durationMs } }: { run: RunListing }) {
  const { i18n } = useTranslation();
  if (startedAt === null) return '–';
  return formatDuration(durationMs ?? Date.now() - Date.parse(startedAt), i18n.language);
}
