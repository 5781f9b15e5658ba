import { ENVELOPE_OUTCOMES, ENVELOPE_STATUSES } from '@platform/contracts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EnteredField } from '../../../ui/lists/entered-field.tsx';
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
      <FilterSelect
        label={t('eventLog.outcome')}
        any={t('eventLog.anyOutcome')}
        value={filters.outcome}
        onChange={(next) => onChange({ outcome: next })}
        options={ENVELOPE_OUTCOMES.map((one) => ({ value: one, label: t(`eventLog.outcomes.${one}`) }))}
        width={150}
      />
      <EventFields filters={filters} onChange={onChange} />
      <TimeFields filters={filters} onChange={onChange} />
      <SearchFields filters={filters} onChange={onChange} />
    </>
  );
}

const SEARCHED = ['text', 'idempotencyKey'] as const;

/** Searches the payloads, or finds an idempotency key. Begins with Enter: a search reads many payloads. */
function SearchFields({ filters, onChange }: LogFilterBarProps) {
  const { t } = useTranslation();
  const current = SEARCHED.find((name) => filters[name] !== undefined);
  const [chosen, setName] = useState<(typeof SEARCHED)[number]>('text');
  const name = current ?? chosen;
  const search = (wanted: string | undefined) =>
    onChange({ text: undefined, idempotencyKey: undefined, [name]: wanted });
  return (
    <span className="row search-fields">
      <FilterSelect
        label={t('eventLog.searchIn')}
        value={name}
        onChange={(next) => {
          setName(next ?? 'text');
          if (current !== undefined)
            onChange({ text: undefined, idempotencyKey: undefined, [next ?? 'text']: filters[current] });
        }}
        options={SEARCHED.map((one) => ({ value: one, label: t(`eventLog.searched.${one}`) }))}
        width={140}
      />
      <EnteredField
        label={t('eventLog.search')}
        value={current && filters[current]}
        onChange={search}
        maxLength={200}
      />
    </span>
  );
}
