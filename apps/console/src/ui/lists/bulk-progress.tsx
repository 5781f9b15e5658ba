import type { BulkReplay } from '@platform/contracts';
import { Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNumbers } from '../format/use-numbers.ts';
import { Fact, Facts } from '../layout/facts.tsx';

const TONES: Record<BulkReplay['status'], string> = {
  RUNNING: 'running',
  COMPLETED: 'success',
  STOPPED: 'warning',
  FAILED: 'danger',
};

interface BulkProgressProps {
  work: Pick<BulkReplay, 'status' | 'total' | 'refused' | 'perSecond' | 'lastError'>;
  /** How many were handled as wanted, and how that is called. */
  done: number;
  doneLabel: string;
  rateLabel: string;
}

/** How far work on many rows has come. */
export function BulkProgress({ work, done, doneLabel, rateLabel }: BulkProgressProps) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const { status, total, refused, perSecond, lastError } = work;
  return (
    <>
      <span className={`badge ${TONES[status]}`} role="status">
        {t(`bulkReplay.statuses.${status}`)}
      </span>
      <Progress
        percent={total === 0 ? 100 : Math.floor(((done + refused) / total) * 100)}
        status={status === 'FAILED' ? 'exception' : 'normal'}
        aria-label={t('bulkReplay.progress')}
      />
      <Facts>
        <Fact name={doneLabel}>{t('bulkReplay.of', { done: whole(done), total: whole(total) })}</Fact>
        <Fact name={rateLabel}>{whole(perSecond)}</Fact>
        {refused > 0 && <Fact name={t('bulkReplay.refused')}>{whole(refused)}</Fact>}
      </Facts>
      {lastError !== null && <p className="error-box">{lastError}</p>}
    </>
  );
}
