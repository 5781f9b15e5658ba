import type { BulkReplay } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { useNumbers } from '../../../ui/format/use-numbers.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import { ErrorState, PageSpinner } from '../../../ui/layout/states.tsx';

const REFRESH_MS = 1_000;

/** A replay that has been started, until it ends. */
export function ReplayProgress({ replayId, onClose }: { replayId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const replay = useQuery({
    queryKey: keys.bulkReplay(replayId),
    queryFn: () => client.events.bulkReplay(replayId),
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? REFRESH_MS : false),
  });
  const stop = useMutation({
    mutationFn: () => client.events.stopBulkReplay(replayId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.bulkReplay(replayId) }),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  if (replay.data === undefined) {
    return replay.isError ? (
      <ErrorState error={replay.error} retry={() => void replay.refetch()} />
    ) : (
      <PageSpinner />
    );
  }
  const isRunning = replay.data.status === 'RUNNING';
  return (
    <div className="stack">
      <Figures replay={replay.data} />
      <div className="row drawer-buttons">
        {isRunning && (
          <Button danger loading={stop.isPending} onClick={() => stop.mutate()}>
            {t('bulkReplay.stop')}
          </Button>
        )}
        <Button
          type="primary"
          onClick={() => {
            void queryClient.invalidateQueries({ queryKey: keys.envelopes });
            onClose();
          }}
        >
          {t(isRunning ? 'bulkReplay.background' : 'common.done')}
        </Button>
      </div>
    </div>
  );
}

const TONES: Record<BulkReplay['status'], string> = {
  RUNNING: 'running',
  COMPLETED: 'success',
  STOPPED: 'warning',
  FAILED: 'danger',
};

function Figures({ replay }: { replay: BulkReplay }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const { status, total, replayed, refused, perSecond, lastError } = replay;
  const done = replayed + refused;
  return (
    <>
      <span className={`badge ${TONES[status]}`} role="status">
        {t(`bulkReplay.statuses.${status}`)}
      </span>
      <Progress
        percent={total === 0 ? 100 : Math.floor((done / total) * 100)}
        status={status === 'FAILED' ? 'exception' : 'normal'}
        aria-label={t('bulkReplay.progress')}
      />
      <Facts>
        <Fact name={t('bulkReplay.replayed')}>
          {t('bulkReplay.of', { done: whole(replayed), total: whole(total) })}
        </Fact>
        <Fact name={t('bulkReplay.rate')}>{whole(perSecond)}</Fact>
        {refused > 0 && <Fact name={t('bulkReplay.refused')}>{whole(refused)}</Fact>}
      </Facts>
      {lastError !== null && <p className="error-box">{lastError}</p>}
    </>
  );
}
