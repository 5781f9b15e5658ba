import { Select, type SelectProps } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePeople } from './use-people.ts';
import { usePersonName } from './use-person-name.ts';

interface Option {
  value: string;
  label: string;
  email?: string;
}

interface PersonSelectProps<T> extends Omit<SelectProps<T, Option>, 'options' | 'mode' | 'showSearch'> {
  /** What can be chosen instead of a member. */
  others?: readonly Option[];
  /** A member who cannot be chosen. */
  except?: string;
  /** Whether several can be chosen. */
  multiple?: boolean;
}

/** A field for members, who are searched on the server. A form item sets its value. If they cannot be loaded, ids can be entered. */
export function PersonSelect<T extends string | string[]>({
  others = [],
  except,
  multiple = false,
  ...field
}: PersonSelectProps<T>) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const { people, isLoading, isError } = usePeople(text);
  const nameOf = usePersonName();
  return (
    <Select<T, Option>
      placeholder={t('access.peoplePlaceholder')}
      {...field}
      {...(multiple && { mode: isError ? ('tags' as const) : ('multiple' as const) })}
      loading={isLoading}
      options={[...(text === '' ? others : []), ...people.filter(({ value }) => value !== except)]}
      optionRender={({ data }) => (
        <span className="row">
          {data.label} {data.email !== undefined && <small className="muted truncate">{data.email}</small>}
        </span>
      )}
      labelRender={({ value }) =>
        others.find((other) => other.value === value)?.label ?? nameOf(String(value)) ?? value
      }
      showSearch={{ filterOption: false, onSearch: setText }}
    />
  );
}
