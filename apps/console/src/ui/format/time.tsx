import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { useKeptChoice } from '../browser/kept-choice.ts';
import { formatAbsoluteTime } from './absolute-time.ts';
import { formatRelativeTime } from './relative-time.ts';
import { timeStyle } from './time-style.ts';
import { useNow } from './use-now.ts';

const MINUTE_MS = 60_000;

/** A time as the user has chosen to read times. The other way of writing it is in the tooltip. */
export function Time({ iso }: { iso: string }) {
  const { language } = useTranslation().i18n;
  const isRelative = useKeptChoice(timeStyle) === 'relative';
  // The text changes with the minute; what happens between two of them is now.
  useNow(isRelative ? MINUTE_MS : null);
  const relative = () => formatRelativeTime(iso, Date.now(), language);
  const full = () =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso));
  return (
    <Tooltip title={isRelative ? full : relative}>
      <time dateTime={iso}>{isRelative ? relative() : formatAbsoluteTime(iso, Date.now(), language)}</time>
    </Tooltip>
  );
}
