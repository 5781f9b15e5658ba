import type { BulkReplay } from '@platform/contracts';
import { useMutation, useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { App, Button, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNumbers } from '../format/use-numbers.ts';
import { getErrorMessage } from '../layout/errors.ts';
import { Fact, Facts } from '../layout/facts.tsx';
import { Loaded } from '../layout/states.tsx';

const REFRESH_MS = 1_000;
const TONES: Record<BulkReplay['status'], string> = {
  RUNNING: 'running',
  COMPLETED: 'success',
  STOPPED: 'warning',
  FAILED: 'danger',
};

type BulkWork = Pick<BulkReplay, 'status' | 'total' | 'refused' | 'perSecond' | 'lastError'>;

interface BulkProgressProps<Work> {
  queryKey: QueryKey;
  load: () => Promise<Work>;
  stop: () => Promise<unknown>;
  /** How many were handled as wanted, and how that is called. */
  doneOf: (work: Work) => number;
  doneLabel: string;
  texts: 'bulkReplay' | 'bulkRuns';
  onClose: () => void;
}

/** Work on many rows that has been started, until it ends. */
export function BulkProgress<Work extends BulkWork>(props: BulkProgressProps<Work>) {
  const { queryKey, load, stop: send, doneOf, doneLabel, texts, onClose } = props;
  const { t } = useTranslation();
  const { message } = App.useApp();
  const queryClient = useQueryClient();
  const work = useQuery({
    queryKey,
    queryFn: load,
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? REFRESH_MS : false),
  });
  const stop = useMutation({
    mutationFn: send,
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const isRunning = work.data?.status === 'RUNNING';
  return (
    <Loaded query={work}>
      {(loaded) => (
        <div className="stack">
          <Figures work={loaded} done={doneOf(loaded)} doneLabel={doneLabel} rateLabel={t(`${texts}.rate`)} />
          <div className="row drawer-buttons">
            {isRunning && (
              <Button danger loading={stop.isPending} onClick={() => stop.mutate()}>
                {t(`${texts}.stop`)}
              </Button>
            )}
            <Button type="primary" onClick={onClose}>
              {t(isRunning ? `${texts}.background` : 'common.done')}
            </Button>
          </div>
        </div>
      )}
    </Loaded>
  );
}

interface FiguresProps {
  work: BulkWork;
  done: number;
  doneLabel: string;
  rateLabel: string;
}

/** How far the work has come. */
function Figures({ work, done, doneLabel, rateLabel }: FiguresProps) {
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
