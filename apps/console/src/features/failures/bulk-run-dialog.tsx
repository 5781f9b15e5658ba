import type { BulkRunActionKind, BulkRunActionPreview, RunSelect } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Button, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { ErrorState, PageSpinner } from '../../ui/layout/states.tsx';
import { BulkProgress } from '../../ui/lists/bulk-progress.tsx';

const REFRESH_MS = 1_000;

interface BulkRunDialogProps {
  action: BulkRunActionKind;
  select: RunSelect;
  onClose: () => void;
}

/** Retries, cancels, or dismisses many runs: first their number, then the progress. */
export function BulkRunDialog({ action, select, onClose }: BulkRunDialogProps) {
  const { t } = useTranslation();
  const [id, setId] = useState<string | null>(null);
  const close = () => {
    void queryClient.invalidateQueries({ queryKey: keys.runs });
    onClose();
  };
  return (
    <Modal open title={t(`bulkRuns.titles.${action}`)} onCancel={close} footer={null} width={560}>
      {id === null ? (
        <Preview action={action} select={select} onStarted={setId} />
      ) : (
        <RunningAction id={id} onClose={close} />
      )}
    </Modal>
  );
}

interface PreviewProps extends Omit<BulkRunDialogProps, 'onClose'> {
  onStarted: (id: string) => void;
}

function Preview({ action, select, onStarted }: PreviewProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const body = { action, select };
  const preview = useQuery({
    queryKey: [...keys.failures, 'preview', body],
    queryFn: () => client.runs.previewBulkAction(body),
    gcTime: 0,
  });
  const runningId = preview.data?.runningId ?? null;
  const start = useMutation({
    // The user was told that one is running.
    mutationFn: () =>
      client.runs.startBulkAction({ ...body, ...(runningId !== null && { alongside: true }) }),
    onSuccess: ({ id }) => onStarted(id),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  if (preview.isError) return <ErrorState error={preview.error} retry={() => void preview.refetch()} />;
  return (
    <div className="stack">
      <p className="muted dialog-intro">{t(`bulkRuns.texts.${action}`)}</p>
      {preview.data ? <Count preview={preview.data} /> : <p role="status">{t('bulkRuns.counting')}</p>}
      {runningId !== null && (
        <Alert
          type="warning"
          showIcon
          role="alert"
          title={t('bulkRuns.same')}
          action={
            <Button size="small" onClick={() => onStarted(runningId)}>
              {t('bulkRuns.showSame')}
            </Button>
          }
        />
      )}
      <div className="row drawer-buttons">
        <Button
          type="primary"
          danger={action === 'cancel'}
          disabled={preview.data === undefined || isNone(preview.data)}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {t(`bulkRuns.actions.${action}`)}
        </Button>
      </div>
    </div>
  );
}

/** Whether no run matches. A search by text counts in a part of the runs only. */
const isNone = ({ count, isLimited }: BulkRunActionPreview): boolean => count === 0 && !isLimited;

function Count({ preview }: { preview: BulkRunActionPreview }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const { count, isLimited } = preview;
  const numbers = { count, formatted: whole(count) };
  const counted = t(isLimited ? 'bulkRuns.countedMore' : 'bulkRuns.counted', numbers);
  return (
    <Alert
      type={isNone(preview) ? 'info' : 'warning'}
      showIcon
      role="status"
      title={isLimited && count === 0 ? t('bulkRuns.noneYet') : counted}
    />
  );
}

function RunningAction({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const action = useQuery({
    queryKey: keys.bulkRunAction(id),
    queryFn: () => client.runs.bulkAction(id),
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? REFRESH_MS : false),
  });
  const stop = useMutation({
    mutationFn: () => client.runs.stopBulkAction(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.bulkRunAction(id) }),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  if (action.data === undefined)
    return action.isError ? (
      <ErrorState error={action.error} retry={() => void action.refetch()} />
    ) : (
      <PageSpinner />
    );
  const isRunning = action.data.status === 'RUNNING';
  return (
    <div className="stack">
      <BulkProgress
        work={action.data}
        done={action.data.changed}
        doneLabel={t('bulkRuns.changed')}
        rateLabel={t('bulkRuns.rate')}
      />
      <div className="row drawer-buttons">
        {isRunning && (
          <Button danger loading={stop.isPending} onClick={() => stop.mutate()}>
            {t('bulkRuns.stop')}
          </Button>
        )}
        <Button type="primary" onClick={onClose}>
          {t(isRunning ? 'bulkRuns.background' : 'common.done')}
        </Button>
      </div>
    </div>
  );
}
