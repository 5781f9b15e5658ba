import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { ErrorState, PageSpinner } from '../../../ui/layout/states.tsx';
import { BulkProgress } from '../../../ui/lists/bulk-progress.tsx';

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
      <BulkProgress
        work={replay.data}
        done={replay.data.replayed}
        doneLabel={t('bulkReplay.replayed')}
        rateLabel={t('bulkReplay.rate')}
      />
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
