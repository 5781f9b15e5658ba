import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { formatRelativeTime } from './relative-time.ts';
import { useNow } from './use-now.ts';

const MINUTE_MS = 60_000;

export function Time({ iso }: { iso: string }) {
  const { i18n } = useTranslation();
  // The text changes with the minute; what happens between two of them is now.
  useNow(MINUTE_MS);
  const full = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    new Date(iso),
  );
  return (
    <Tooltip title={full}>
      <time dateTime={iso}>{formatRelativeTime(iso, Date.now(), i18n.language)}</time>
    </Tooltip>
  );
}
