import { SCHEDULE_OVERLAPS } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Form, Input, Select } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { useSettled } from '../../../ui/browser/use-settled.ts';
import { EXAMPLE_CODE, type TriggerDescriptor } from './trigger.ts';

const PAUSE_MS = 350;
const TIMEZONES = Intl.supportedValuesOf('timeZone');

export const scheduleTrigger: TriggerDescriptor = {
  kind: 'SCHEDULE',
  isScheduled: true,
  runHint: 'tasks.runHint',
  exampleCode: EXAMPLE_CODE,
  Fields,
};

/** When a scheduled task runs, with the next five times. */
function Fields() {
  const { t } = useTranslation();
  return (
    <>
      <div className="form-pair">
        <Form.Item
          name={['schedule', 'cron']}
          label={t('schedule.cron')}
          extra={t('schedule.cronHint')}
          rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        >
          <Input className="mono" placeholder="0 9 * * 1-5" />
        </Form.Item>
        <Form.Item
          name={['schedule', 'timezone']}
          label={t('schedule.timezone')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <Select
            showSearch
            options={['UTC', ...TIMEZONES.filter((zone) => zone !== 'UTC')].map((value) => ({
              value,
              label: value,
            }))}
          />
        </Form.Item>
      </div>
      <Form.Item
        name={['schedule', 'overlap']}
        label={t('schedule.overlap')}
        extra={t('schedule.overlapHint')}
      >
        <Select
          options={SCHEDULE_OVERLAPS.map((value) => ({ value, label: t(`schedule.overlaps.${value}`) }))}
        />
      </Form.Item>
      <NextTimes />
    </>
  );
}

function NextTimes() {
  const { t, i18n } = useTranslation();
  const cron = Form.useWatch<string | undefined>(['schedule', 'cron']);
  const timezone = Form.useWatch<string | undefined>(['schedule', 'timezone']);
  const wanted = useMemo(() => ({ cron: cron?.trim() ?? '', timezone: timezone ?? '' }), [cron, timezone]);
  const schedule = useSettled(wanted, PAUSE_MS);
  const isComplete = schedule.cron !== '' && schedule.timezone !== '';
  const preview = useQuery({
    queryKey: [...keys.schedulePreview, schedule],
    queryFn: () => client.tasks.schedulePreview(schedule),
    enabled: isComplete,
  });
  if (!isComplete) return null;
  if (preview.isError) {
    return (
      <p className="danger-text next-times" role="status">
        {getErrorMessage(preview.error, t)}
      </p>
    );
  }
  const format = new Intl.DateTimeFormat(i18n.language, {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: schedule.timezone,
  });
  return (
    <section
      className="next-times"
      aria-label={t('schedule.next')}
      aria-busy={preview.isPending}
      aria-live="polite"
    >
      <h3>{t('schedule.next')}</h3>
      <ol>
        {preview.data?.dueAt.map((iso) => (
          <li key={iso}>
            <time dateTime={iso}>{format.format(new Date(iso))}</time>
          </li>
        ))}
      </ol>
      {preview.data?.dueAt.length === 0 && <p className="warning-text">{t('schedule.never')}</p>}
    </section>
  );
}
