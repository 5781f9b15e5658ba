import { AUDIT_ACTIONS, type AuditAction } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { PersonFilter } from '../members/person-filter.tsx';
import { SavedViews } from '../views/saved-views.tsx';
import { AUDIT_PERIODS, type AuditFilters } from './use-audit-filters.ts';

interface AuditFilterBarProps {
  filters: AuditFilters;
  onChange: (changes: { [K in keyof AuditFilters]: AuditFilters[K] | undefined }) => void;
}

type Noun = AuditAction extends `${infer N}.${string}` ? N : never;

export function AuditFilterBar({
  filters: { actor, action, time, from, to },
  onChange,
}: AuditFilterBarProps) {
  const { t } = useTranslation();
  return (
    <div className="toolbar">
      <PersonFilter label={t('audit.who')} value={actor} onChange={(next) => onChange({ actor: next })} />
      <FilterSelect
        label={t('audit.what')}
        any={t('audit.anything')}
        value={action}
        onChange={(next) => onChange({ action: next })}
        options={AUDIT_ACTIONS.map((one) => ({
          value: one,
          label: t(`audit.actions.${one}`),
          group: t(`audit.nouns.${one.slice(0, one.indexOf('.')) as Noun}`),
        }))}
        width={230}
      />
      <FilterSelect
        label={t('audit.time')}
        any={t('audit.anyTime')}
        value={time}
        onChange={(next) => onChange({ time: next, from: undefined, to: undefined })}
        options={[
          ...AUDIT_PERIODS.map((one) => ({ value: one, label: t(`common.periods.${one}`) })),
          { value: 'days' as const, label: t('audit.days') },
        ]}
        width={150}
      />
      {time === 'days' && (
        <span className="row">
          <DayField
            label={t('audit.from')}
            value={from}
            max={to}
            onChange={(day) => onChange({ from: day })}
          />
          <span aria-hidden>–</span>
          <DayField label={t('audit.to')} value={to} min={from} onChange={(day) => onChange({ to: day })} />
        </span>
      )}
      <SavedViews page="audit" />
    </div>
  );
}

interface DayFieldProps {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string | undefined) => void;
}

function DayField({ label, value, min, max, onChange }: DayFieldProps) {
  return (
    <input
      className="day-field"
      type="date"
      aria-label={label}
      value={value ?? ''}
      min={min}
      max={max}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}
