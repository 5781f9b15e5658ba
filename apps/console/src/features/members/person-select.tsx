import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { NameSelect } from '../../ui/names/name-select.tsx';
import { personNames, useMarkedUser, usePersonName, type Person } from './person-names.ts';

type PersonSelectProps<Value extends string | string[]> = Omit<
  ComponentProps<typeof NameSelect<Person, object, Value>>,
  'source' | 'filter' | 'describe' | 'nameOf' | 'multiple'
> & { multiple?: boolean };

/** A field for members. If they cannot be loaded, several are entered by id. */
export function PersonSelect<Value extends string | string[] = string>({
  multiple = false,
  ...field
}: PersonSelectProps<Value>) {
  const { t } = useTranslation();
  const markUser = useMarkedUser();
  return (
    <NameSelect<Person, object, Value>
      placeholder={t('access.peoplePlaceholder')}
      {...field}
      multiple={multiple && 'orIds'}
      source={personNames}
      describe={(person) => ({ label: markUser(person), hint: person.email })}
      nameOf={usePersonName()}
    />
  );
}
