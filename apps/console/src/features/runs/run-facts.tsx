import type { Run, RunAttempt, RunListing } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';
import { Elapsed } from '../../ui/format/elapsed.tsx';

/** How the run was started. */
export function RunCause({ run: { origin, trigger } }: { run: RunListing }) {
  const { t } = useTranslation();
  return trigger === null ? t(`runs.origins.${origin}`) : t('runs.byEvent', { event: trigger.event });
}

/** How long the current attempt took, or has taken so far. */
export function RunDuration({ run: { startedAt, durationMs } }: { run: RunListing }) {
  const { i18n } = useTranslation();
  if (startedAt === null) return '–';
  if (durationMs !== null) return formatDuration(durationMs, i18n.language);
  return <Elapsed from={startedAt} to={null} />;
}

/** The number of each attempt, as users count: what waited, or was handed over, goes on in the same one. */
export function numberAttempts(attempts: readonly Pick<RunAttempt, 'status'>[]): number[] {
  let number = 1;
  return attempts.map(({ status }) => (status === 'WAITED' || status === 'HANDED_OVER' ? number : number++));
}

/** From the start of the first attempt to the end of the last one, with what the run waited for between them. */
export function WholeDuration({ run: { attempts, startedAt, finishedAt } }: { run: Run }) {
  const from = attempts[0]?.startedAt ?? startedAt;
  return from === null ? '–' : <Elapsed from={from} to={finishedAt} />;
}
