import type { BulkRunActionKind, BulkRunActionPreview, RunSelect } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Button, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { ErrorState } from '../../ui/layout/states.tsx';
import { BulkProgress } from '../../ui/lists/bulk-progress.tsx';

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
        <BulkProgress
          queryKey={keys.bulkRunAction(id)}
          load={() => client.runs.bulkAction(id)}
          stop={() => client.runs.stopBulkAction(id)}
          doneOf={({ changed }) => changed}
          doneLabel={t('bulkRuns.changed')}
          texts="bulkRuns"
          onClose={close}
        />
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
