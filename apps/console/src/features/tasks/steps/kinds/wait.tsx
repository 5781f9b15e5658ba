import { ClockCircleOutlined } from '@ant-design/icons';
import type { EventFilter, WaitedEvent, WaitStep } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Form, Segmented } from 'antd';
import { useTranslation } from 'react-i18next';
import { JsonView } from '../../../../ui/code/json-view.tsx';
import {
  catalogQuery,
  findEvent,
  formatEventKey,
  parseEventKey,
} from '../../../events/catalog/catalog-query.ts';
import { EventSelect } from '../../../events/catalog/event-select.tsx';
import { FilterEditor } from '../../../events/filter/filter-editor.tsx';
import type { StepDescriptor, StepFieldsProps } from '../step-kind.ts';
import { DurationField, TimeField, WrittenDurationField } from './time-fields.tsx';
import { useDurationText } from './use-duration-text.ts';

const MODES = ['for', 'until', 'event'] as const;
type Mode = (typeof MODES)[number];

interface Waiting {
  mode: Mode;
  for?: string | undefined;
  until?: string | undefined;
  event?: Waited | undefined;
}
interface Waited {
  /** Of the event and its application. */
  key?: string | undefined;
  /** Undefined while the input is not a valid filter. */
  filter?: EventFilter | null | undefined;
  timeoutMs?: number | null | undefined;
}

export const waitStep: StepDescriptor<WaitStep, Waiting> = {
  kind: 'wait',
  icon: <ClockCircleOutlined aria-hidden />,
  hasTurns: false,
  create: () => ({ mode: 'for', for: 'PT1H', event: { filter: null } }),
  listOutputs: ({ mode }) => (mode === 'event' ? ['trigger.payload', 'timedOut', 'endedAt'] : ['endedAt']),
  toValues: (step) => ({
    mode: MODES.find((mode) => step[mode] !== undefined) ?? 'for',
    for: step.for,
    until: step.until,
    event: toWaited(step.event),
  }),
  toStep: (id, { mode = 'for', event = {}, ...times }) => ({
    id,
    kind: 'wait',
    ...(mode === 'event' ? { event: toEvent(event) } : { [mode]: times[mode] ?? '' }),
  }),
  Fields,
  Target,
  Content,
};

function toWaited(event: WaitedEvent | undefined): Waited {
  if (event === undefined) return { filter: null };
  return { key: formatEventKey(event), filter: event.filter ?? null, timeoutMs: event.timeoutMs };
}

function toEvent({ key = '', filter, timeoutMs }: Waited): WaitedEvent {
  return {
    ...parseEventKey(key),
    ...(filter != null && { filter }),
    ...(timeoutMs != null && { timeoutMs }),
  };
}

function Fields({ index, path }: StepFieldsProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const mode = Form.useWatch<Mode | undefined>([...path, 'mode'], form) ?? 'for';
  const rules = [{ required: true, message: t('common.required') }];
  return (
    <>
      <Form.Item name={[index, 'mode']} label={t('steps.wait.mode')}>
        <Segmented<Mode>
          aria-label={t('steps.wait.mode')}
          options={MODES.map((value) => ({ value, label: t(`steps.wait.modes.${value}`) }))}
        />
      </Form.Item>
      {mode === 'for' && (
        <Form.Item name={[index, 'for']} label={t('steps.wait.for')} rules={rules}>
          <WrittenDurationField />
        </Form.Item>
      )}
      {mode === 'until' && (
        <Form.Item name={[index, 'until']} label={t('steps.wait.until')} rules={rules}>
          <TimeField />
        </Form.Item>
      )}
      {mode === 'event' && <EventFields index={index} path={path} />}
    </>
  );
}

function EventFields({ index, path }: Pick<StepFieldsProps, 'index' | 'path'>) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const key = Form.useWatch<string | undefined>([...path, 'event', 'key'], form);
  const catalog = useQuery(catalogQuery);
  const event = key === undefined ? undefined : findEvent(catalog.data, parseEventKey(key));
  return (
    <>
      <Form.Item
        name={[index, 'event', 'key']}
        label={t('eventLog.event')}
        extra={t('steps.wait.eventHint')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <EventSelect />
      </Form.Item>
      <Form.Item
        name={[index, 'event', 'filter']}
        label={t('steps.wait.filter')}
        rules={[
          {
            validator: (_, filter: EventFilter | null | undefined) =>
              filter === undefined
                ? Promise.reject(new Error(t('steps.wait.filterRule')))
                : Promise.resolve(),
          },
        ]}
      >
        <FilterField schema={event?.payloadSchema} />
      </Form.Item>
      <Form.Item
        name={[index, 'event', 'timeoutMs']}
        label={t('steps.wait.timeout')}
        extra={t('steps.wait.timeoutHint')}
      >
        <DurationField />
      </Form.Item>
    </>
  );
}

interface FilterFieldProps extends Pick<Parameters<typeof FilterEditor>[0], 'schema'> {
  value?: EventFilter | null;
  onChange?: (filter: EventFilter | null | undefined) => void;
}

/** The filter editor as a field of a form. */
function FilterField({ value, onChange, schema }: FilterFieldProps) {
  return <FilterEditor initial={value ?? null} schema={schema} onChange={(filter) => onChange?.(filter)} />;
}

function Target({ step }: { step: WaitStep }) {
  return <span className="mono">{step.event?.event ?? step.for ?? step.until}</span>;
}

function Content({ step: { event } }: { step: WaitStep }) {
  const { t } = useTranslation();
  const formatDuration = useDurationText();
  if (event === undefined) return null;
  return (
    <>
      {event.filter && <JsonView value={event.filter} label={t('steps.wait.filter')} />}
      {event.timeoutMs !== undefined && (
        <span className="muted">
          {t('steps.wait.timeout')}: {formatDuration(event.timeoutMs)}
        </span>
      )}
    </>
  );
}
