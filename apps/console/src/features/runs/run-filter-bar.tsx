import { RUN_STATUSES } from '@platform/contracts';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EnteredField } from '../../ui/lists/entered-field.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { NameFilter } from '../../ui/names/name-filter.tsx';
import { useIsAdmin } from '../auth/session.ts';
import { EventFields, TimeFields } from '../events/log/event-fields.tsx';
import { PersonFilter } from '../members/person-filter.tsx';
import { taskNames } from '../tasks/task-names.ts';
import { SavedViews } from '../views/saved-views.tsx';
import { RUN_ORIGINS, type RunFilterChanges, type RunFilters } from './use-run-filters.ts';

interface RunFilterBarProps {
  filters: RunFilters;
  onChange: (changes: RunFilterChanges) => void;
  /** Whether the runs belong to several tasks. */
  ofAllTasks: boolean;
  /** Error codes to choose from: those of the runs that are shown. */
  codes: readonly string[];
  /** What can be done with the runs. */
  children: ReactNode;
}

export function RunFilterBar({ filters, onChange, ofAllTasks, codes, children }: RunFilterBarProps) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  return (
    <div className="toolbar">
      <FilterSelect
        label={t('runs.status')}
        any={t('runs.anyStatus')}
        value={filters.status}
        onChange={(status) => onChange({ status })}
        options={RUN_STATUSES.map((one) => ({ value: one, label: t(`runs.statuses.${one}`) }))}
        width={140}
      />
      {ofAllTasks && (
        <NameFilter
          source={taskNames}
          label={t('runs.task')}
          any={t('runs.anyTask')}
          value={filters.taskId}
          onChange={(taskId) => onChange({ taskId })}
        />
      )}
      <FilterSelect
        label={t('runs.origin')}
        any={t('runs.anyOrigin')}
        value={filters.origin}
        onChange={(origin) => onChange({ origin })}
        options={RUN_ORIGINS.map((one) => ({ value: one, label: t(`runs.origins.${one}`) }))}
        width={170}
      />
      <EventFields filters={filters} onChange={onChange} />
      {ofAllTasks && isAdmin && (
        <PersonFilter
          label={t('runs.owner')}
          value={filters.ownerUserId}
          onChange={(ownerUserId) => onChange({ ownerUserId })}
        />
      )}
      <TimeFields filters={filters} onChange={onChange} />
      <EnteredField
        label={t('runs.text')}
        hint={t('runs.textHint')}
        value={filters.text}
        onChange={(text) => onChange({ text })}
        maxLength={200}
      />
      <EnteredField
        label={t('runs.errorCode')}
        value={filters.errorCode}
        onChange={(errorCode) => onChange({ errorCode })}
        maxLength={100}
        suggestions={codes}
      />
      {children}
      {ofAllTasks && <SavedViews page="runs" />}
    </div>
  );
}
