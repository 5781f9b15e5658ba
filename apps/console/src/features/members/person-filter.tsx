import { useTranslation } from 'react-i18next';
import { NameFilter } from '../../ui/names/name-filter.tsx';
import { personNames, useMarkedUser, usePersonName } from './person-names.ts';

interface PersonFilterProps {
  label: string;
  /** The id of a person, who may have left the space. */
  value: string | undefined;
  onChange: (userId: string | undefined) => void;
}

/** A filter for a person. */
export function PersonFilter(props: PersonFilterProps) {
  const { t } = useTranslation();
  const personName = usePersonName();
  const markUser = useMarkedUser();
  return (
    <NameFilter
      {...props}
      any={t('common.anyone')}
      source={personNames}
      toText={(person) => `${markUser(person)} · ${person.email}`}
      nameOf={(userId) => {
        const name = personName(userId);
        return name === null ? t('common.formerMember') : name;
      }}
    />
  );
}
