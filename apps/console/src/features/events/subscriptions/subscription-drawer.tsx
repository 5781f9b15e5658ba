import type { EventFilter, Subscription } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button, Drawer, Form, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import { ErrorState, PageSpinner } from '../../../ui/layout/states.tsx';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { useIsOpening } from '../../../ui/forms/use-is-opening.ts';
import { NameSelect } from '../../../ui/names/name-select.tsx';
import { useOffered } from '../../../ui/names/use-offered.ts';
import { taskNames } from '../../tasks/task-names.ts';
import {
  catalogQuery,
  findEvent,
  formatEventKey,
  parseEventKey,
  type EventName,
} from '../catalog/catalog-query.ts';
import { BATCH_FIELDS, BatchFields, toBatch, toBatchForm, type BatchForm } from './batch-fields.tsx';
import { DebounceFields, toDebounce, toDebounceForm, type DebounceForm } from './debounce-fields.tsx';
import { EventSelect } from '../catalog/event-select.tsx';
import { FilterEditor } from '../filter/filter-editor.tsx';
import { FilterPreview } from '../filter/filter-preview.tsx';

interface SubscriptionDrawerProps {
  /** Null for a new subscription. */
  subscriptionId: string | null;
  /** The event that a new subscription starts with. */
  eventKey: string | undefined;
  onClose: () => void;
}

/** Creates a subscription, or edits its filter. */
export function SubscriptionDrawer({ subscriptionId, eventKey, onClose }: SubscriptionDrawerProps) {
  const { t } = useTranslation();
  const [isFilled, setFilled] = useState(false);
  const { close, leave, release } = useGuardedClose(() => isFilled, onClose);
  const form = { onFilled: () => setFilled(true), onSaved: release, onClose: leave };
  const stored = useQuery({
    queryKey: keys.subscription(subscriptionId ?? ''),
    queryFn: () => client.events.subscription(subscriptionId ?? ''),
    enabled: subscriptionId !== null,
  });
  const isOpening = useIsOpening(stored, subscriptionId ?? '');
  return (
    <Drawer
      open
      onClose={close}
      size={620}
      title={t(subscriptionId === null ? 'subscriptions.create' : 'subscriptions.edit')}
    >
      {subscriptionId === null ? (
        <NewSubscription eventKey={eventKey} {...form} />
      ) : stored.data !== undefined && !isOpening ? (
        <EditSubscription subscription={stored.data} {...form} />
      ) : stored.isLoadingError ? (
        <ErrorState error={stored.error} retry={() => void stored.refetch()} />
      ) : (
        <PageSpinner />
      )}
    </Drawer>
  );
}

interface SubscriptionForm {
  event: string;
  taskId: string;
  enabled: boolean;
  debounce: DebounceForm;
  batch: BatchForm;
}

interface FormProps {
  /** Called when something was entered. */
  onFilled: () => void;
  /** Called when it is stored; the drawer closes a little later. */
  onSaved: () => void;
  onClose: () => void;
}

interface NewSubscriptionProps extends FormProps {
  eventKey: string | undefined;
}

function NewSubscription({ eventKey, onFilled, onSaved, onClose }: NewSubscriptionProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<SubscriptionForm>();
  const chosen = Form.useWatch<string | undefined>('event', form);
  const event = chosen === undefined ? null : parseEventKey(chosen);
  const [filter, setFilter] = useState<EventFilter | null | undefined>(null);

  const create = useMutation({
    mutationFn: ({ event: key, taskId, enabled, debounce, batch }: SubscriptionForm) =>
      client.events.createSubscription({
        ...parseEventKey(key),
        taskId,
        enabled,
        filter: filter ?? null,
        debounce: toDebounce(debounce),
        batch: toBatch(batch),
      }),
    onSuccess: async () => {
      onSaved();
      await queryClient.invalidateQueries({ queryKey: keys.subscriptions });
      void message.success(t('subscriptions.created'));
      onClose();
    },
    onError: useFormErrors(form, [
      'event',
      'taskId',
      'filter',
      'enabled',
      'debounce.key',
      'debounce.windowMs',
      ...BATCH_FIELDS,
    ]),
  });

  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{ event: eventKey, enabled: true, batch: toBatchForm(null) }}
      onValuesChange={(changed: Partial<SubscriptionForm>) => {
        onFilled();
        if (changed.event !== undefined) setFilter(null);
      }}
      onFinish={(values) => create.mutate(values)}
    >
      <Form.Item
        name="event"
        label={t('subscriptions.event')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <EventSelect />
      </Form.Item>
      <TaskField />
      <FilterSection
        // Each event has its own fields.
        key={chosen}
        event={event}
        initial={null}
        filter={filter}
        onChange={(changed) => {
          onFilled();
          setFilter(changed);
        }}
      />
      <DebounceFields />
      <BatchFields />
      <Form.Item name="enabled" label={t('subscriptions.enabled')} valuePropName="checked">
        <Switch />
      </Form.Item>
      <DrawerButtons
        isSaving={create.isPending}
        canSave={filter !== undefined}
        saveText={t('subscriptions.submit')}
        onClose={onClose}
      />
    </Form>
  );
}

const EVENT_TASKS = { type: 'EVENT' } as const;

function TaskField() {
  const { t } = useTranslation();
  const { items, isLoaded } = useOffered(taskNames, '', EVENT_TASKS);
  return (
    <Form.Item
      name="taskId"
      label={t('subscriptions.task')}
      rules={[{ required: true, message: t('common.required') }]}
      extra={
        isLoaded && (
          <>
            {t(items.length === 0 ? 'subscriptions.noTasks' : 'subscriptions.taskHint')}{' '}
            <Link to={paths.newTask('EVENT')}>{t('tasks.create')}</Link>
          </>
        )
      }
    >
      <NameSelect source={taskNames} filter={EVENT_TASKS} placeholder={t('subscriptions.taskPlaceholder')} />
    </Form.Item>
  );
}

interface EditSubscriptionProps extends FormProps {
  subscription: Subscription;
}

function EditSubscription({ subscription, onFilled, onSaved, onClose }: EditSubscriptionProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<Pick<SubscriptionForm, 'enabled' | 'debounce' | 'batch'>>();
  const [filter, setFilter] = useState<EventFilter | null | undefined>(subscription.filter);
  const navigate = useNavigate();
  const because = useSearchParams()[0].get('because');
  const save = useMutation({
    mutationFn: ({ enabled, debounce, batch }: Pick<SubscriptionForm, 'enabled' | 'debounce' | 'batch'>) =>
      client.events.updateSubscription(subscription.id, {
        enabled,
        filter: filter ?? null,
        debounce: toDebounce(debounce),
        batch: toBatch(batch),
      }),
    onSuccess: async () => {
      onSaved();
      await queryClient.invalidateQueries({ queryKey: keys.subscriptions });
      // What led here is looked at again, and says what the change has done.
      if (because !== null) return navigate(paths.envelope(because, subscription.id));
      void message.success(t('subscriptions.saved'));
      onClose();
    },
    onError: useFormErrors(form, ['filter', 'enabled', 'debounce.key', 'debounce.windowMs', ...BATCH_FIELDS]),
  });
  return (
    <Form
      form={form}
      layout="vertical"
      initialValues={{
        enabled: subscription.enabled,
        debounce: toDebounceForm(subscription.debounce),
        batch: toBatchForm(subscription.batch),
      }}
      onValuesChange={onFilled}
      onFinish={(values) => save.mutate(values)}
      className="stack"
    >
      <Facts>
        <Fact name={t('subscriptions.event')}>
          <span className="mono">{subscription.event}</span>{' '}
          <span className="muted">{subscription.applicationIdentifier}</span>
        </Fact>
        <Fact name={t('subscriptions.task')}>
          <Link to={paths.task(subscription.taskId)}>{subscription.taskName}</Link>
        </Fact>
        <Fact name={t('subscriptions.origin')}>{t(`subscriptions.origins.${subscription.origin}`)}</Fact>
      </Facts>
      {subscription.waitingForApplication && <p className="warning-text">{t('subscriptions.waitingHint')}</p>}
      <FilterSection
        event={subscription}
        initial={subscription.filter}
        filter={filter}
        onChange={(changed) => {
          onFilled();
          setFilter(changed);
        }}
      />
      <DebounceFields />
      <BatchFields />
      <Form.Item name="enabled" label={t('subscriptions.enabled')} valuePropName="checked">
        <Switch />
      </Form.Item>
      <DrawerButtons
        isSaving={save.isPending}
        canSave={filter !== undefined}
        saveText={t('common.save')}
        onClose={onClose}
      />
    </Form>
  );
}

interface FilterSectionProps {
  event: EventName | null;
  initial: EventFilter | null;
  filter: EventFilter | null | undefined;
  onChange: (filter: EventFilter | null | undefined) => void;
}

function FilterSection({ event, initial, filter, onChange }: FilterSectionProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const catalog = useQuery(catalogQuery);
  if (event === null) return null;
  const { applicationIdentifier, event: name } = event;
  const registered = findEvent(catalog.data, event);
  return (
    <section className="filter-section" aria-label={t('subscriptions.filter')}>
      <h2>{t('subscriptions.filter')}</h2>
      <FilterEditor
        initial={initial}
        schema={registered?.payloadSchema}
        onChange={(changed) => {
          form.setFields([{ name: 'filter', errors: [] }]);
          onChange(changed);
        }}
      />
      {/* Shows what the service says about the filter, which is no value of the form. */}
      <Form.Item name="filter" className="filter-errors">
        <input type="hidden" />
      </Form.Item>
      <FilterPreview
        key={formatEventKey(event)}
        event={{ applicationIdentifier, event: name }}
        filter={filter}
      />
    </section>
  );
}

interface DrawerButtonsProps {
  isSaving: boolean;
  canSave: boolean;
  saveText: string;
  onClose: () => void;
}

function DrawerButtons({ isSaving, canSave, saveText, onClose }: DrawerButtonsProps) {
  const { t } = useTranslation();
  return (
    <div className="row drawer-buttons">
      <Button onClick={onClose}>{t('common.cancel')}</Button>
      <Button type="primary" htmlType="submit" loading={isSaving} disabled={!canSave}>
        {saveText}
      </Button>
    </div>
  );
}
