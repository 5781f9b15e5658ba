import {
  ENVELOPE_STATUSES,
  type BulkReplay,
  type EnvelopeQuery,
  type EnvelopeStatus,
  type ReplayQuery,
} from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  Alert,
  App,
  Button,
  Form,
  Input,
  InputNumber,
  Modal,
  Progress,
  Select,
  type FormInstance,
} from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { formatDuration } from '../../../ui/format/duration.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import { findPeriodStart } from '../../../ui/format/periods.ts';
import { ErrorState, PageSpinner } from '../../../ui/layout/states.tsx';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { useNumbers } from '../../../ui/format/use-numbers.ts';
import { catalogQuery, formatEventKey, listEventOptions, parseEventKey } from '../catalog/catalog-query.ts';
import { fromLocalInput, toLocalInput } from './local-time.ts';

const REFRESH_MS = 1_000;

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
  const close = useGuardedClose(() => replayId === null && form.isFieldsTouched(), onClose);
  return (
    <Modal open title={t('bulkReplay.title')} onCancel={close} footer={null} width={720}>
      {replayId === null ? (
        <NewReplay form={form} filters={filters} onStarted={onStarted} />
      ) : (
        <ReplayProgress replayId={replayId} onClose={onClose} />
      )}
    </Modal>
  );
}

interface ReplayForm {
  eventKey?: string;
  status?: EnvelopeStatus;
  from: string;
  to: string;
  perSecond: number;
}

interface NewReplayProps extends Pick<BulkReplayDialogProps, 'filters' | 'onStarted'> {
  form: FormInstance<ReplayForm>;
}

function NewReplay({ form, filters, onStarted }: NewReplayProps) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  const catalog = useQuery(catalogQuery);
  const [counted, setCounted] = useState<ReplayQuery | null>(null);
  const showErrors = useFormErrors(form, ['from', 'to', 'perSecond', 'status']);
  const perSecond = Form.useWatch<number | undefined>('perSecond', form) ?? 50;

  const count = useMutation({
    mutationFn: (query: ReplayQuery) => client.events.previewBulkReplay(query),
    onSuccess: (_, query) => setCounted(query),
    onError: showErrors,
  });
  const start = useMutation({
    mutationFn: (query: ReplayQuery) => client.events.createBulkReplay({ ...query, perSecond }),
    onSuccess: ({ id }) => onStarted(id),
    onError: showErrors,
  });
  const preview = counted === null ? undefined : count.data;
  const { applicationIdentifier, event } = filters;

  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{
        eventKey:
          applicationIdentifier === undefined || event === undefined
            ? undefined
            : formatEventKey({ applicationIdentifier, event }),
        status: filters.status,
        from: toLocalInput(filters.from ?? findPeriodStart('24h', Date.now())),
        to: toLocalInput(filters.to ?? new Date(Date.now() + 60_000).toISOString()),
        perSecond,
      }}
      // What was counted must be what is replayed.
      onValuesChange={(changed) => !('perSecond' in changed) && setCounted(null)}
      onFinish={(values) => count.mutate(toQuery(values))}
    >
      <p className="muted dialog-intro">{t('bulkReplay.text')}</p>
      <Form.Item name="eventKey" label={t('eventLog.event')}>
        <Select
          allowClear
          loading={catalog.isPending}
          placeholder={t('eventLog.anyEvent')}
          showSearch={{ optionFilterProp: 'label' }}
          options={listEventOptions(catalog.data)}
        />
      </Form.Item>
      <Form.Item name="status" label={t('eventLog.status')}>
        <Select
          allowClear
          placeholder={t('eventLog.anyStatus')}
          options={ENVELOPE_STATUSES.filter((one) => one !== 'PENDING').map((one) => ({
            value: one,
            label: t(`eventLog.statuses.${one}`),
          }))}
        />
      </Form.Item>
      <div className="form-row">
        <Form.Item
          name="from"
          label={t('eventLog.from')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <Input type="datetime-local" />
        </Form.Item>
        <Form.Item
          name="to"
          label={t('eventLog.to')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <Input type="datetime-local" />
        </Form.Item>
        <Form.Item name="perSecond" label={t('bulkReplay.rate')}>
          <InputNumber min={1} max={1_000} precision={0} style={{ width: '100%' }} />
        </Form.Item>
      </div>
      {preview && (
        <Alert
          type={preview.count === 0 ? 'info' : 'warning'}
          showIcon
          role="status"
          title={t(preview.isLimited ? 'bulkReplay.countedMore' : 'bulkReplay.counted', {
            count: preview.count,
            formatted: whole(preview.count),
          })}
          description={
            preview.count > 0 &&
            t('bulkReplay.duration', {
              duration: formatDuration((preview.count / perSecond) * 1_000, i18n.language),
            })
          }
        />
      )}
      <div className="row drawer-buttons">
        <Button htmlType="submit" loading={count.isPending}>
          {t('bulkReplay.count')}
        </Button>
        <Button
          type="primary"
          disabled={preview === undefined || preview.count === 0}
          loading={start.isPending}
          onClick={() => counted && start.mutate(counted)}
        >
          {t('bulkReplay.start')}
        </Button>
      </div>
    </Form>
  );
}

function toQuery({ eventKey, status, from, to }: ReplayForm): ReplayQuery {
  return {
    ...(eventKey !== undefined && parseEventKey(eventKey)),
    ...(status !== undefined && { status }),
    from: fromLocalInput(from) ?? from,
    to: fromLocalInput(to) ?? to,
  };
}

function ReplayProgress({ replayId, onClose }: { replayId: string; onClose: () => void }) {
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
