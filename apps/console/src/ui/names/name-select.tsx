import { Select, type SelectProps } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Named, NamedSource } from './named-source.ts';
import { useNames } from './use-names.ts';
import { useOffered } from './use-offered.ts';
import './names.css';

interface Choice {
  value: string;
  label: string;
  /** Shown beside the name. */
  hint?: string;
  disabled?: boolean;
}

interface NameSelectProps<Item extends Named, Filter extends object, Value> extends Omit<
  SelectProps<Value, Choice>,
  'options' | 'mode' | 'showSearch' | 'onSelect' | 'onBlur'
> {
  source: NamedSource<Item, Filter>;
  filter?: Partial<Filter>;
  /** How an item is offered, if not only by its name. */
  describe?: (item: Item) => Partial<Omit<Choice, 'value'>>;
  /** The name of what was chosen, if it is not shown as in the list. */
  nameOf?: (id: string) => string | null | undefined;
  /** What can be chosen instead of an item. */
  others?: readonly Choice[];
  /** Items that cannot be chosen. */
  except?: readonly string[];
  /** Whether several can be chosen. `orIds`: by their ids if the list cannot be loaded. */
  multiple?: boolean | 'orIds';
}

/** A field for what has a name, which is searched on the server. A form item sets its value. */
export function NameSelect<
  Item extends Named,
  Filter extends object,
  Value extends string | string[] | null = string,
>({
  source,
  filter,
  describe,
  nameOf,
  others = [],
  except = [],
  multiple = false,
  ...field
}: NameSelectProps<Item, Filter, Value>) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const { items, isAll, isLoaded, isLoading, isError, isSearchError } = useOffered(source, text, filter);
  const loadedName = useNames(source);
  const nameOfChosen = (id: string) => {
    const name = (nameOf ?? loadedName)(id);
    return name ?? (name === null || isError ? id : '…');
  };
  const choices = items
    .filter(({ id }) => !except.includes(id))
    .map((item): Choice => ({ value: item.id, label: item.name, ...describe?.(item) }));
  const forgetText = () => setText('');
  return (
    <Select<Value, Choice>
      notFoundContent={t(isSearchError ? 'names.notLoaded' : isLoaded ? 'names.none' : 'common.loading')}
      {...field}
      {...(multiple !== false && {
        mode: isError && multiple === 'orIds' ? ('tags' as const) : ('multiple' as const),
      })}
      loading={isLoading}
      options={[...(text === '' ? others : []), ...choices]}
      optionRender={({ data: { label, hint } }) => (
        <span className="row">
          {label} {hint !== undefined && <small className="muted truncate">{hint}</small>}
        </span>
      )}
      labelRender={({ label, value }) => label ?? nameOfChosen(String(value))}
      popupRender={(list) => (
        <>
          {list}
          {isLoaded && !isAll && <p className="muted names-more">{t('names.more')}</p>}
        </>
      )}
      showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
      // A field for several would keep what was searched, and the list with it.
      onSelect={forgetText}
      onBlur={forgetText}
    />
  );
}
