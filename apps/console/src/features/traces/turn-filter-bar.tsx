import { CloseOutlined } from '@ant-design/icons';
import { TURN_STATUSES } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { NameFilter } from '../../ui/names/name-filter.tsx';
import { ListSearch } from '../../ui/lists/list-search.tsx';
import { agentNames } from '../agents/agent-names.ts';
import { useIsAdmin } from '../auth/session.ts';
import { modelsQuery } from '../models/models-query.ts';
import { SavedViews } from '../views/saved-views.tsx';
import { TURN_PERIODS, type TurnFilterChanges, type TurnFilters } from './use-turn-filters.ts';

interface FilterProps {
  filters: TurnFilters;
  onChange: (changes: TurnFilterChanges) => void;
}

interface TurnFilterBarProps extends FilterProps {
  /** The text that is searched for. */
  wanted: string;
  onWanted: (wanted: string | undefined) => void;
}

export function TurnFilterBar({ filters, onChange, wanted, onWanted }: TurnFilterBarProps) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  return (
    <div className="toolbar">
      {isAdmin && (
        <FilterSelect
          label={t('traces.scope')}
          any={t('traces.own')}
          value={filters.scope}
          onChange={(scope) => onChange({ scope, session: undefined, user: undefined })}
          options={[{ value: 'space', label: t('traces.space') }]}
          width={120}
        />
      )}
      {filters.scope !== 'space' && (
        <ListSearch label={t('traces.search')} value={wanted} onChange={onWanted} />
      )}
      <ValueFilters filters={filters} onChange={onChange} />
      {(['session', 'run', 'user'] as const).map(
        (name) =>
          filters[name] !== undefined && (
            <Chip
              key={name}
              label={t(`traces.only.${name}`)}
              onRemove={() => onChange({ [name]: undefined })}
            />
          ),
      )}
      <SavedViews page="traces" />
    </div>
  );
}

/** The filters by status, agent, model, and time. */
function ValueFilters({ filters, onChange }: FilterProps) {
  const { t } = useTranslation();
  const models = useQuery(modelsQuery);
  return (
    <>
      <FilterSelect
        label={t('traces.status')}
        any={t('jobs.anyStatus')}
        value={filters.status}
        onChange={(status) => onChange({ status })}
        options={TURN_STATUSES.map((value) => ({ value, label: t(`jobs.statuses.${value}`) }))}
        width={130}
      />
      <NameFilter
        source={agentNames}
        label={t('traces.agent')}
        any={t('traces.anyAgent')}
        value={filters.agent}
        onChange={(agent) => onChange({ agent, session: undefined })}
      />
      <FilterSelect
        label={t('traces.model')}
        any={t('traces.anyModel')}
        value={filters.model}
        onChange={(model) => onChange({ model })}
        options={(models.data ?? []).map(({ name }) => ({ value: name, label: name }))}
        loading={models.isPending}
        width={140}
      />
      <FilterSelect
        label={t('traces.time')}
        any={t('traces.anyTime')}
        value={filters.since}
        onChange={(since) => onChange({ since })}
        options={TURN_PERIODS.map((value) => ({ value, label: t(`common.periods.${value}`) }))}
        width={130}
      />
    </>
  );
}

function Chip({ label, onRemove }: { label: string; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <span className="filter-chip">
      {label}
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('traces.removeFilter', { filter: label })}
        onClick={onRemove}
      />
    </span>
  );
}
