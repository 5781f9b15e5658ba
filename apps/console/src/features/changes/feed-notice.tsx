import { useTranslation } from 'react-i18next';
import { useOnline } from '../../ui/browser/online.ts';

/** Says that the browser is offline, or that changes are only asked for. It is there before, so that it is read out. */
export function FeedNotice({ isPolling }: { isPolling: boolean }) {
  const { t } = useTranslation();
  const isOnline = useOnline();
  return (
    <div role="status">
      {(isPolling || !isOnline) && (
        <p className="feed-notice">{t(isOnline ? 'shell.polling' : 'shell.offline')}</p>
      )}
    </div>
  );
}
