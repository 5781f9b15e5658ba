import type { Envelope, RunListing, Task } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Form, Radio, Select } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { Time } from '../../../ui/format/time.tsx';
import { EmptyState, ErrorState } from '../../../ui/layout/states.tsx';
import { LoadMore } from '../../../ui/lists/load-more.tsx';
import { useList, type List } from '../../../ui/lists/use-list.ts';
import { useMaybeSession } from '../../auth/session.ts';
import { parseEventKey } from '../../events/catalog/catalog-query.ts';
import { EventSelect } from '../../events/catalog/event-select.tsx';
import { subscribedEventsQuery } from '../steps/templates/subscribed-events.ts';

const PAGE = 20;
/** So much of a payload is shown. */
const MAX_BEGINNING = 160;

interface PastEventsProps {
  task: Task;
  /** The event whose recordings are shown; undefined: the first that the task subscribes to. */
  eventKey: string | undefined;
  onEvent: (eventKey: string) => void;
  /** The id of the chosen envelope. */
  value: string | undefined;
  onChange: (envelopeId: string | undefined) => void;
}

/** A choice of recorded events: for admins those of one event, for others those that have started the task. */
export function PastEvents(props: PastEventsProps) {
  const session = useMaybeSession();
  if (!session.data) return <span className="skeleton-bar" />;
  return session.data.space.role === 'ADMIN' ? <RecordedEvents {...props} /> : <EventsOfRuns {...props} />;
}

function RecordedEvents({ task, eventKey, onEvent, value, onChange }: PastEventsProps) {
  const { t } = useTranslation();
  const subscribed = useQuery(subscribedEventsQuery(task.id));
  const own = subscribed.data ?? [];
  const key = eventKey ?? own[0] ?? '';
  const list = useList<Envelope>(
    [...keys.envelopes, 'past', key],
    (page) => client.events.envelopes({ ...page, limit: PAGE, ...parseEventKey(key) }),
    { enabled: key !== '' },
  );
  if (subscribed.isLoadingError)
    return <ErrorState error={subscribed.error} retry={() => void subscribed.refetch()} />;
  if (subscribed.isPending) return <span className="skeleton-bar" />;
  const field = { id: 'test-past-event', value: key === '' ? undefined : key, onChange: onEvent };
  return (
    <>
      {own.length !== 1 && (
        <Form.Item
          label={t('taskTest.event')}
          htmlFor="test-past-event"
          extra={own.length === 0 && t('taskTest.notSubscribed')}
        >
          {own.length === 0 ? (
            <EventSelect {...field} />
          ) : (
            <Select
              {...field}
              showSearch={{ optionFilterProp: 'label' }}
              options={own.map((one) => ({ value: one, label: parseEventKey(one).event }))}
            />
          )}
        </Form.Item>
      )}
      {key !== '' && <EventChoice list={mapList(list, toPastEvent)} value={value} onChange={onChange} />}
    </>
  );
}

function EventsOfRuns({ task, value, onChange }: PastEventsProps) {
  const list = useList<RunListing>([...keys.runs, 'of', task.id, 'events'], (page) =>
    client.tasks.runs(task.id, { ...page, limit: PAGE, origin: 'EVENT' }),
  );
  return <EventChoice list={mapList(list, toEventOfRun)} value={value} onChange={onChange} />;
}

interface PastEvent {
  id: string;
  name: string;
  emittedAt: string;
  /** Undefined if the payload is not known here. */
  beginning?: string;
  isErased: boolean;
}

function toPastEvent({ id, event: name, emittedAt, payload, erasure }: Envelope): PastEvent {
  const beginning = JSON.stringify(payload).slice(0, MAX_BEGINNING);
  return { id, name, emittedAt, beginning, isErased: erasure !== null };
}

function toEventOfRun({ trigger }: RunListing): PastEvent | null {
  return trigger && { id: trigger.id, name: trigger.event, emittedAt: trigger.emittedAt, isErased: false };
}

/** Each event once: several runs can have the same. */
function mapList<T>(list: List<T>, map: (item: T) => PastEvent | null): List<PastEvent> {
  const events = list.items.flatMap((item) => map(item) ?? []);
  return { ...list, items: [...new Map(events.map((event) => [event.id, event])).values()] };
}

interface EventChoiceProps extends Pick<PastEventsProps, 'value' | 'onChange'> {
  list: List<PastEvent>;
}

function EventChoice({ list, value, onChange }: EventChoiceProps) {
  const { t } = useTranslation();
  const latest = list.items.find(({ isErased }) => !isErased)?.id;
  useEffect(() => {
    if (value === undefined && latest !== undefined) onChange(latest);
  }, [value, latest, onChange]);
  if (list.error) return <ErrorState error={list.error} retry={list.retry} />;
  if (list.loading) return <span className="skeleton-bar" />;
  if (list.items.length === 0)
    return <EmptyState title={t('taskTest.noEvents')} text={t('taskTest.noEventsText')} />;
  return (
    <div className="past-events">
      <Radio.Group
        aria-label={t('taskTest.pastEvent')}
        value={value}
        onChange={({ target }) => onChange(target.value as string)}
      >
        {list.items.map(({ id, name, emittedAt, beginning, isErased }) => (
          <Radio key={id} value={id} disabled={isErased}>
            <span className="row wrap">
              <span className="mono">{name}</span>
              <span className="muted">
                <Time iso={emittedAt} />
              </span>
              {isErased && <span className="badge plain">{t('taskTest.erased')}</span>}
            </span>
            {beginning !== undefined && !isErased && <code className="truncate">{beginning}</code>}
          </Radio>
        ))}
      </Radio.Group>
      <LoadMore list={list} size="small" />
    </div>
  );
}
