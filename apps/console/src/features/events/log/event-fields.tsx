import { CalendarOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Form, Input, Popover } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PERIODS } from '../../../ui/format/periods.ts';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { catalogQuery } from '../catalog/catalog-query.ts';
import { fromLocalInput, toLocalInput } from '../replay/local-time.ts';
import type { EventFilters } from './event-filters.ts';

interface EventFieldsProps {
  filters: EventFilters;
  onChange: (changes: { [K in keyof EventFilters]: EventFilters[K] | undefined }) => void;
}

/** The filters by application and event. */
export function EventFields({ filters: { applicationIdentifier, event }, onChange }: EventFieldsProps) {
  const { t } = useTranslation();
  const catalog = useQuery(catalogQuery);
  const applications = withCurrent(
    (catalog.data ?? []).map(({ applicationIdentifier: value, name }) => ({ value, label: name })),
    applicationIdentifier,
  );
  const names = (catalog.data ?? [])
    .filter(
      (one) => applicationIdentifier === undefined || one.applicationIdentifier === applicationIdentifier,
    )
    .flatMap(({ events }) => events.map(({ name }) => name));
  const events = withCurrent(
    [...new Set(names)].sort().map((value) => ({ value, label: value })),
    event,
  );
  return (
    <>
      <FilterSelect
        label={t('eventLog.application')}
        any={t('eventLog.anyApplication')}
        value={applicationIdentifier}
        onChange={(next) => onChange({ applicationIdentifier: next, event: undefined })}
        options={applications}
        loading={catalog.isPending}
        width={170}
      />
      <FilterSelect
        label={t('eventLog.event')}
        any={t('eventLog.anyEvent')}
        value={event}
        onChange={(next) => onChange({ event: next })}
        options={events}
        loading={catalog.isPending}
        width={170}
      />
    </>
  );
}

/** The filters by time: a period that ends now, or a range. */
export function TimeFields({ filters: { since, from, to }, onChange }: EventFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      {from === undefined && to === undefined ? (
        <FilterSelect
          label={t('eventLog.time')}
          any={t('eventLog.anyTime')}
          value={since}
          onChange={(next) => onChange({ since: next, from: undefined, to: undefined })}
          options={PERIODS.map((one) => ({ value: one, label: t(`eventLog.periods.${one}`) }))}
          width={150}
        />
      ) : null}
      <TimeRange from={from} to={to} onChange={onChange} />
    </>
  );
}

/** Adds the current value if it is not among the options, such as an event that is no longer registered. */
function withCurrent(options: { value: string; label: string }[], current: string | undefined) {
  if (current === undefined || options.some(({ value }) => value === current)) return options;
  return [...options, { value: current, label: current }];
}

interface TimeRangeProps {
  from: string | undefined;
  to: string | undefined;
  onChange: EventFieldsProps['onChange'];
}

function TimeRange({ from, to, onChange }: TimeRangeProps) {
  const { t, i18n } = useTranslation();
  const [open, setOpen] = useState(false);
  const format = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'short', timeStyle: 'short' });
  const isSet = from !== undefined || to !== undefined;
  const text = [from, to].map((iso) => (iso === undefined ? '…' : format.format(new Date(iso)))).join(' – ');
  const apply = (values: { from?: string; to?: string }) => {
    setOpen(false);
    onChange({
      since: undefined,
      from: fromLocalInput(values.from ?? ''),
      to: fromLocalInput(values.to ?? ''),
    });
  };
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomRight"
      destroyOnHidden
      content={
        <Form
          layout="vertical"
          size="small"
          initialValues={{ from: toLocalInput(from), to: toLocalInput(to) }}
          onFinish={apply}
          className="time-range"
        >
          <Form.Item name="from" label={t('eventLog.from')}>
            <Input type="datetime-local" />
          </Form.Item>
          <Form.Item name="to" label={t('eventLog.to')}>
            <Input type="datetime-local" />
          </Form.Item>
          <div className="row">
            <Button type="primary" htmlType="submit">
              {t('eventLog.apply')}
            </Button>
            <Button onClick={() => apply({})}>{t('eventLog.clear')}</Button>
          </div>
        </Form>
      }
    >
      <Button
        icon={<CalendarOutlined aria-hidden />}
        aria-label={isSet ? t('eventLog.rangeNamed', { range: text }) : t('eventLog.range')}
        aria-expanded={open}
      >
        {isSet ? text : null}
      </Button>
    </Popover>
  );
}
