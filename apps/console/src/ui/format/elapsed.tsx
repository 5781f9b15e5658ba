import { useTranslation } from 'react-i18next';
import { formatClock, formatDuration } from './duration.ts';
import { useNow } from './use-now.ts';

interface ElapsedProps {
  from: string;
  /** Null while it goes on. */
  to: string | null;
}

/** How long something took; while it goes on, how long so far, in seconds that tick. */
export function Elapsed({ from, to }: ElapsedProps) {
  const { i18n } = useTranslation();
  const now = useNow(to === null ? 1_000 : null);
  const start = Date.parse(from);
  if (to !== null) return formatDuration(Date.parse(to) - start, i18n.language);
  return <span className="ticking">{formatClock(now - start, i18n.language)}</span>;
}
