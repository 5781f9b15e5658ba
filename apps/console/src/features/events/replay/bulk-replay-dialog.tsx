import type { EnvelopeQuery } from '@platform/contracts';
import { Form, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { BulkProgress } from '../../../ui/lists/bulk-progress.tsx';
import { NewReplay, type ReplayForm } from './new-replay.tsx';

interface BulkReplayDialogProps {
  /** Null before the replay has been started. */
  replayId: string | null;
  /** The filters of the log, with which the form starts. */
  filters: EnvelopeQuery;
  onStarted: (replayId: string) => void;
  onClose: () => void;
}

/** Replays the envelopes of a time range: first their number, then the progress. */
export function BulkReplayDialog({ replayId, filters, onStarted, onClose }: BulkReplayDialogProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<ReplayForm>();
  const { close, release } = useGuardedClose(() => replayId === null && form.isFieldsTouched(), onClose);
  return (
    <Modal open title={t('bulkReplay.title')} onCancel={close} footer={null} width={720}>
      {replayId === null ? (
        <NewReplay
          form={form}
          filters={filters}
          onStarted={(id) => {
            release();
            onStarted(id);
          }}
        />
      ) : (
        <BulkProgress
          queryKey={keys.bulkReplay(replayId)}
          load={() => client.events.bulkReplay(replayId)}
          stop={() => client.events.stopBulkReplay(replayId)}
          doneOf={({ replayed }) => replayed}
          doneLabel={t('bulkReplay.replayed')}
          texts="bulkReplay"
          onClose={() => {
            void queryClient.invalidateQueries({ queryKey: keys.envelopes });
            onClose();
          }}
        />
      )}
    </Modal>
  );
}
