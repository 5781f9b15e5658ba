import { ClockCircleOutlined } from '@ant-design/icons';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWait } from '../../ui/browser/waiting.ts';

/** Says that the service asked a call to wait, and counts down until it is repeated. */
export function WaitNotice() {
  const { t } = useTranslation();
  const until = useWait();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (until === null) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [until]);
  if (until === null) return null;
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000));
  return (
    <p className="wait-notice">
      <ClockCircleOutlined aria-hidden />
      <span role="status">{t('shell.waits')}</span>
      <span aria-hidden>{t('shell.seconds', { count: seconds })}</span>
    </p>
  );
}
