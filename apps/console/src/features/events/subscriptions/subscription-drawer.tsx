import type { EventFilter, Subscription } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button, Drawer, Form, Switch, type FormInstance } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { FormOf } from '../../../ui/forms/form-of.tsx';
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
  const form = { eventKey, onFilled: () => setFilled(true), onSaved: release, onClose: leave };
  const stored = useQuery({
    queryKey: keys.subscription(subscriptionId ?? ''),
    queryFn: () => client.events.subscription(subscriptionId ?? ''),
    enabled: subscriptionId !== null,
  });
  return (
    <Drawer
      open
      onClose={close}
      size={620}
      title={t(subscriptionId === null ? 'subscriptions.create' : 'subscriptions.edit')}
    >
      {subscriptionId === null ? (
        <SubscriptionForm stored={null} {...form} />
      ) : (
        <FormOf query={stored} id={subscriptionId}>
          {(subscription) => <SubscriptionForm stored={subscription} {...form} />}
        </FormOf>
      )}
    </Drawer>
  );
}

interface Values {
  /** Only of a new subscription, like the task. */
  event: string;
  taskId: string;
  enabled: boolean;
  debounce: DebounceForm;
  batch: BatchForm;
}

interface SubscriptionFormProps {
  /** Null for a new subscription. */
  stored: Subscription | null;
  eventKey: string | undefined;
  /** Called when something was entered. */
  onFilled: () => void;
  /** Called when it is stored; the drawer closes a little later. */
  onSaved: () => void;
  onClose: () => void;
}

function SubscriptionForm({ stored, eventKey, onFilled, onSaved, onClose }: SubscriptionFormProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Values>();
  const chosen = Form.useWatch<string | undefined>('event', form);
  const event = stored ?? (chosen === undefined ? null : parseEventKey(chosen));
  const initial = stored?.filter ?? null;
  const [filter, setFilter] = useState<EventFilter | null | undefined>(initial);
  const save = useSave({ stored, filter, form, onSaved, onClose });
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{
        event: eventKey,
        enabled: stored?.enabled ?? true,
        debounce: toDebounceForm(stored?.debounce ?? null),
        batch: toBatchForm(stored?.batch ?? null),
      }}
      onValuesChange={(changed: Partial<Values>) => {
        onFilled();
        if (changed.event !== undefined) setFilter(null);
      }}
      onFinish={(values) => save.mutate(values)}
      {...(stored && { className: 'stack' })}
    >
      {stored === null ? <TargetFields /> : <StoredFacts subscription={stored} />}
      <FilterSection
        // Each event has its own fields.
        key={chosen}
        event={event}
        initial={initial}
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
      <div className="row drawer-buttons">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button type="primary" htmlType="submit" loading={save.isPending} disabled={filter === undefined}>
          {t(stored === null ? 'subscriptions.submit' : 'common.save')}
        </Button>
      </div>
    </Form>
  );
}

interface SaveOptions extends Pick<SubscriptionFormProps, 'stored' | 'onSaved' | 'onClose'> {
  filter: EventFilter | null | undefined;
  form: FormInstance<Values>;
}

function useSave({ stored, filter = null, form, onSaved, onClose }: SaveOptions) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const because = useSearchParams()[0].get('because');
  return useMutation({
    mutationFn: ({ event, taskId, enabled, debounce, batch }: Values) => {
      const rules = { filter, enabled, debounce: toDebounce(debounce), batch: toBatch(batch) };
      return stored === null
        ? client.events.createSubscription({ ...parseEventKey(event), taskId, ...rules })
        : client.events.updateSubscription(stored.id, rules);
    },
    onSuccess: async () => {
      onSaved();
      await queryClient.invalidateQueries({ queryKey: keys.subscriptions });
      // What led here is looked at again, and says what the change has done.
      if (stored !== null && because !== null) return navigate(paths.envelope(because, stored.id));
      void message.success(t(stored === null ? 'subscriptions.created' : 'subscriptions.saved'));
      onClose();
    },
    onError: useFormErrors(form, FIELDS),
  });
}

const FIELDS = ['event', 'taskId', 'filter', 'enabled', 'debounce.key', 'debounce.windowMs', ...BATCH_FIELDS];

/** The event and the task, which do not change once it is stored. */
function StoredFacts({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  return (
    <>
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
    </>
  );
}

const EVENT_TASKS = { type: 'EVENT' } as const;

function TargetFields() {
  const { t } = useTranslation();
  const { items, isLoaded } = useOffered(taskNames, '', EVENT_TASKS);
  return (
    <>
      <Form.Item
        name="event"
        label={t('subscriptions.event')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <EventSelect />
      </Form.Item>
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
        <NameSelect
          source={taskNames}
          filter={EVENT_TASKS}
          placeholder={t('subscriptions.taskPlaceholder')}
        />
      </Form.Item>
    </>
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
