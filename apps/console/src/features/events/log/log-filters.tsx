import { ENVELOPE_STATUSES } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { EventFields, TimeFields } from './event-fields.tsx';
import type { LogFilters } from './use-log-filters.ts';

interface LogFilterBarProps {
  filters: LogFilters;
  onChange: (changes: { [K in keyof LogFilters]: LogFilters[K] | undefined }) => void;
}

export function LogFilterBar({ filters, onChange }: LogFilterBarProps) {
  const { t } = useTranslation();
  return (
    <>
      <FilterSelect
        label={t('eventLog.status')}
        any={t('eventLog.anyStatus')}
        value={filters.status}
        onChange={(next) => onChange({ status: next })}
        options={ENVELOPE_STATUSES.map((one) => ({ value: one, label: t(`eventLog.statuses.${one}`) }))}
        width={140}
      />
      <EventFields filters={filters} onChange={onChange} />
      <TimeFields filters={filters} onChange={onChange} />
    </>
  );
}
