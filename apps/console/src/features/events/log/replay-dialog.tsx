import type { EnvelopeDetail, ReplayRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Checkbox, Modal, Radio } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { useTaskName } from '../../tasks/task-names.ts';

type Limit = 'all' | 'failed' | 'chosen';

/** Asks to which subscriptions an envelope is replayed: only to those that failed, if others succeeded. */
export function ReplayDialog({ envelope, onClose }: { envelope: EnvelopeDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { succeeded, failed, missed } = envelope.deliveries;
  const failures = failed + missed;
  const [limit, setLimit] = useState<Limit>(failures > 0 && succeeded > 0 ? 'failed' : 'all');
  const [chosen, setChosen] = useState<string[]>([]);
  const subscriptions = useNamedSubscriptions(envelope);
  const request = useMemo(() => toRequest(limit, chosen), [limit, chosen]);
  const replay = useMutation({
    mutationFn: () => client.events.replay(envelope.id, request),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keys.envelopes });
      void message.success(t('replay.started'));
      onClose();
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  return (
    <Modal
      open
      title={t('replay.title')}
      okText={t('replay.submit')}
      cancelText={t('common.cancel')}
      confirmLoading={replay.isPending}
      okButtonProps={{ disabled: limit === 'chosen' && chosen.length === 0 }}
      onOk={() => replay.mutate()}
      onCancel={onClose}
    >
      <p className="muted dialog-intro">{t('replay.text')}</p>
      <Radio.Group
        className="stack"
        aria-label={t('replay.limit')}
        value={limit}
        onChange={({ target }) => setLimit(target.value as Limit)}
        options={[
          { value: 'all', label: t('replay.all') },
          {
            value: 'failed',
            label: t('replay.failed', { number: failures }),
            disabled: failures === 0,
          },
          { value: 'chosen', label: t('replay.chosen'), disabled: subscriptions.length === 0 },
        ]}
      />
      {limit === 'chosen' && (
        <Checkbox.Group
          className="stack replay-choice"
          aria-label={t('replay.choose')}
          value={chosen}
          onChange={setChosen}
          options={subscriptions}
        />
      )}
    </Modal>
  );
}

/** The subscriptions that the last dispatch has judged, by the names of their tasks. */
function useNamedSubscriptions({ generations }: EnvelopeDetail): { value: string; label: string }[] {
  const taskName = useTaskName();
  return (generations[0]?.verdicts ?? []).map((verdict) => ({
    value: verdict.subscriptionId,
    label: taskName(verdict),
  }));
}

/** The key makes a repeated request return the same replay. Another limit needs another key. */
function toRequest(limit: Limit, chosen: string[]): ReplayRequest {
  const requestKey = `console-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  if (limit === 'failed') return { requestKey, only: 'FAILED_DELIVERIES' };
  return limit === 'chosen' ? { requestKey, subscriptionIds: chosen } : { requestKey };
}
