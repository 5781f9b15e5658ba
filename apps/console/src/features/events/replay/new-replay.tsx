import {
  ENVELOPE_STATUSES,
  type EnvelopeQuery,
  type ReplayPreview,
  type ReplayQuery,
} from '@platform/contracts';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Alert, Button, Form, Input, InputNumber, Radio, Select, type FormInstance } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { formatDuration } from '../../../ui/format/duration.ts';
import { findPeriodStart } from '../../../ui/format/periods.ts';
import { useNumbers } from '../../../ui/format/use-numbers.ts';
import { loadAllItems } from '../../../ui/lists/load-all-items.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { catalogQuery, formatEventKey, listEventOptions, parseEventKey } from '../catalog/catalog-query.ts';
import { fromLocalInput, toLocalInput } from './local-time.ts';

const RATE = 50;
const MAX_SUBSCRIPTIONS = 100;

export interface ReplayForm {
  eventKey?: string;
  status?: NonNullable<ReplayQuery['status']>;
  from: string;
  to: string;
  limit: 'all' | 'failed' | 'chosen';
  subscriptionIds?: string[];
  perSecond: number;
}

interface NewReplayProps {
  form: FormInstance<ReplayForm>;
  /** The filters of the log, with which the form starts. */
  filters: EnvelopeQuery;
  onStarted: (replayId: string) => void;
}

/** Chooses the envelopes, counts them, and starts the replay. */
export function NewReplay({ form, filters, onStarted }: NewReplayProps) {
  const { t } = useTranslation();
  const showErrors = useFormErrors(form, ['from', 'to', 'perSecond', 'status', 'subscriptionIds']);
  const perSecond = Form.useWatch<number | undefined>('perSecond', form) ?? RATE;

  const count = useMutation({
    mutationFn: (query: ReplayQuery) => client.events.previewBulkReplay(query),
    onError: showErrors,
  });
  const { data: preview, variables: counted } = count;
  const runningId = preview?.runningId ?? null;
  const start = useMutation({
    mutationFn: (query: ReplayQuery) =>
      // The user was told that one is running.
      client.events.createBulkReplay({ ...query, perSecond, ...(runningId !== null && { alongside: true }) }),
    onSuccess: ({ id }) => onStarted(id),
    onError: showErrors,
  });
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={toForm(filters)}
      // What was counted must be what is replayed, also if it is still being counted.
      onValuesChange={(changed) => !('perSecond' in changed) && count.reset()}
      onFinish={(values) => count.mutate(toQuery(values))}
    >
      <ReplayFields />
      <LimitFields />
      {preview && <CountAlert preview={preview} perSecond={perSecond} />}
      {runningId !== null && <SameReplay onShow={() => onStarted(runningId)} />}
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
          {t(runningId === null ? 'bulkReplay.start' : 'bulkReplay.startAnother')}
        </Button>
      </div>
    </Form>
  );
}

/** Tells that the same is under way already. */
function SameReplay({ onShow }: { onShow: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert
      className="same-replay"
      type="warning"
      showIcon
      role="alert"
      title={t('bulkReplay.same')}
      action={
        <Button size="small" onClick={onShow}>
          {t('bulkReplay.showSame')}
        </Button>
      }
    />
  );
}

function ReplayFields() {
  const { t } = useTranslation();
  const catalog = useQuery(catalogQuery);
  return (
    <>
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
    </>
  );
}

/** To which subscriptions the envelopes are replayed. */
function LimitFields() {
  const { t } = useTranslation();
  const eventKey = Form.useWatch<string | undefined>('eventKey');
  const isChosen = Form.useWatch<string | undefined>('limit') === 'chosen';
  const subscriptions = useQuery({ ...subscriptionsQuery(eventKey), enabled: isChosen });
  return (
    <>
      <Form.Item name="limit" label={t('replay.limit')}>
        <Radio.Group
          options={[
            { value: 'all', label: t('replay.all') },
            { value: 'failed', label: t('bulkReplay.onlyFailed') },
            { value: 'chosen', label: t('replay.chosen') },
          ]}
        />
      </Form.Item>
      {isChosen && (
        <Form.Item
          name="subscriptionIds"
          label={t('replay.choose')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <Select
            mode="multiple"
            maxCount={MAX_SUBSCRIPTIONS}
            loading={subscriptions.isPending}
            {...(subscriptions.isLoadingError && { notFoundContent: t('names.notLoaded') })}
            showSearch={{ optionFilterProp: 'label' }}
            options={subscriptions.data?.map(({ id, taskName, event }) => ({
              value: id,
              label: `${taskName} · ${event}`,
            }))}
          />
        </Form.Item>
      )}
    </>
  );
}

const subscriptionsQuery = (eventKey: string | undefined) => {
  const filter = eventKey === undefined ? {} : parseEventKey(eventKey);
  return queryOptions({
    queryKey: [...keys.subscriptions, filter, 'all'],
    queryFn: () => loadAllItems((page) => client.events.subscriptions({ ...page, ...filter })),
  });
};

/** How many envelopes match, and how long their replay takes. */
function CountAlert({ preview, perSecond }: { preview: ReplayPreview; perSecond: number }) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  return (
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
  );
}

function toForm({
  applicationIdentifier,
  event,
  status,
  from,
  to,
  outcome,
}: EnvelopeQuery): Partial<ReplayForm> {
  return {
    ...(applicationIdentifier !== undefined &&
      event !== undefined && { eventKey: formatEventKey({ applicationIdentifier, event }) }),
    // Pending envelopes will be dispatched anyway, so they cannot be replayed.
    ...(status !== undefined && status !== 'PENDING' && { status }),
    from: toLocalInput(from ?? findPeriodStart('24h', Date.now())),
    to: toLocalInput(to ?? new Date(Date.now() + 60_000).toISOString()),
    limit: outcome === 'FAILED' ? 'failed' : 'all',
    perSecond: RATE,
  };
}

function toQuery({ eventKey, status, from, to, limit, subscriptionIds }: ReplayForm): ReplayQuery {
  return {
    ...(eventKey !== undefined && parseEventKey(eventKey)),
    ...(status !== undefined && { status }),
    ...(limit === 'failed' && { only: 'FAILED_DELIVERIES' as const }),
    ...(limit === 'chosen' && { subscriptionIds: subscriptionIds ?? [] }),
    from: fromLocalInput(from) ?? from,
    to: fromLocalInput(to) ?? to,
  };
}
