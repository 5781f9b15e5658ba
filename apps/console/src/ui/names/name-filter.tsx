import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../lists/filter-select.tsx';
import type { Named, NamedSource } from './named-source.ts';
import { useNames } from './use-names.ts';
import { useOffered } from './use-offered.ts';

interface NameFilterProps<Item extends Named, Filter extends object> {
  source: NamedSource<Item, Filter>;
  filter?: Partial<Filter>;
  label: string;
  /** Label for "no filter". Without it, an item is always chosen. */
  any?: string;
  /** The id of an item, which may no longer exist. */
  value: string | undefined;
  onChange: (id: string | undefined) => void;
  width?: number | '100%';
  /** How an item is shown, if not by its name. */
  toText?: (item: Item) => string;
  /** The name of what was chosen, if it is not shown as in the list. */
  nameOf?: (id: string) => string | null | undefined;
}

/**
 * A filter for what has a name: a list to choose from, or, if there are many, a field that searches on the server. The browser's
 * own fields: list pages stay small.
 */
export function NameFilter<Item extends Named, Filter extends object>(props: NameFilterProps<Item, Filter>) {
  const { source, filter, label, any, value, onChange, width, toText = nameOfItem } = props;
  const { t } = useTranslation();
  const { items, isAll, isLoading, isError } = useOffered(source, '', filter);
  const loadedName = useNames(source);
  const nameOfChosen = (id: string) => {
    const name = (props.nameOf ?? loadedName)(id);
    return name === null ? id : (name ?? '…');
  };
  if (items.length > 0 && !isAll) return <SearchFilter {...props} toText={toText} nameOf={nameOfChosen} />;
  const options = items.map((item) => ({ value: item.id, label: toText(item) }));
  if (value !== undefined && options.every((option) => option.value !== value))
    options.push({ value, label: nameOfChosen(value) });
  return (
    <FilterSelect
      label={label}
      {...(any !== undefined && { any })}
      value={value}
      onChange={onChange}
      options={options}
      loading={isLoading}
      {...(isError && { note: t('names.notLoaded') })}
      {...(width !== undefined && { width })}
    />
  );
}

const nameOfItem = ({ name }: Named): string => name;

interface SearchFilterProps<Item extends Named, Filter extends object> extends NameFilterProps<Item, Filter> {
  toText: (item: Item) => string;
  nameOf: (id: string) => string;
}

function SearchFilter<Item extends Named, Filter extends object>({
  source,
  filter,
  label,
  any,
  value,
  onChange,
  width,
  toText,
  nameOf,
}: SearchFilterProps<Item, Filter>) {
  const { t } = useTranslation();
  const id = useId();
  /** Null: nothing is being searched, and the field shows what was chosen. */
  const [text, setText] = useState<string | null>(null);
  const { items, isSearchError } = useOffered(source, text ?? '', filter);
  const suggestions = toSuggestions(items, toText);
  const findExact = (wanted: string) => suggestions.find((one) => one.text === wanted);
  const choose = (chosen: string | undefined) => {
    setText(null);
    if (chosen !== value) onChange(chosen);
  };
  return (
    <>
      <input
        className="filter-input"
        style={{ width }}
        type="search"
        placeholder={any ?? label}
        aria-label={label}
        list={id}
        value={text ?? (value === undefined ? '' : nameOf(value))}
        maxLength={200}
        onChange={({ target, nativeEvent }) => {
          const picked = isTyped(nativeEvent) ? undefined : findExact(target.value);
          if (picked !== undefined) choose(picked.id);
          else if (target.value === '' && any !== undefined) choose(undefined);
          else setText(target.value);
        }}
        onKeyDown={({ key, nativeEvent }) => {
          if (key !== 'Enter' || nativeEvent.isComposing || text === null) return;
          const found = findExact(text) ?? suggestions.find((one) => isFound(one.text, text));
          if (found !== undefined) choose(found.id);
        }}
        onBlur={() => {
          const typed = text === null ? undefined : findExact(text);
          if (typed === undefined) setText(null);
          else choose(typed.id);
        }}
      />
      <datalist id={id}>
        {suggestions.map((one) => (
          <option key={one.id} value={one.text} />
        ))}
      </datalist>
      {isSearchError && (
        <span role="alert" className="danger-text">
          {t('names.notLoaded')}
        </span>
      )}
    </>
  );
}

/** Two items can have the same name, and the browser only tells the text that was chosen. */
function toSuggestions<Item extends Named>(items: readonly Item[], toText: (item: Item) => string) {
  const counts = new Map<string, number>();
  const texts = items.map(toText);
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return items.map(({ id }, i) => {
    const text = texts[i] ?? id;
    return { id, text: counts.get(text) === 1 ? text : `${text} · ${id.slice(-6)}` };
  });
}

/** Whether it is no suggestion of the browser that was picked: a name that is typed may be the beginning of another one. */
function isTyped(event: Event): boolean {
  return event instanceof InputEvent && event.inputType !== '' && event.inputType !== 'insertReplacementText';
}

/** What is offered may still belong to an earlier text. */
function isFound(suggestion: string, text: string): boolean {
  return suggestion.toLowerCase().includes(text.trim().toLowerCase());
}
