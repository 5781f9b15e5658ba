import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { usePeople } from '../members/use-people.ts';

interface UserFilterProps {
  value: string | undefined;
  onChange: (userId: string | undefined) => void;
}

export function UserFilter({ value, onChange }: UserFilterProps) {
  const { t } = useTranslation();
  const people = usePeople();
  return (
    <FilterSelect
      label={t('usage.user')}
      any={t('usage.anyUser')}
      value={value}
      onChange={onChange}
      options={people.options.map(({ value: id, label }) => ({ value: id, label }))}
      loading={people.loading}
    />
  );
}
