import { SEARCH_AFTER_MS, useSettled } from '../browser/use-settled.ts';
import { useSearchFilter } from '../url/use-search-filter.ts';
import { SearchInput } from './search-input.tsx';

/** What the service takes. */
const MAX_CHARS = 200;

interface ListSearchProps {
  /** What is searched, also as the placeholder. */
  label: string;
  value: string;
  onChange: (value: string | undefined) => void;
}

/** Searches a list on the server. */
export function ListSearch({ label, value, onChange }: ListSearchProps) {
  return (
    <SearchInput
      label={label}
      value={value}
      maxLength={MAX_CHARS}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

interface ListQuery<Sort extends string> {
  field: Pick<ListSearchProps, 'value' | 'onChange'>;
  /** What the service is asked for; the text once it has been typed. */
  text: string | undefined;
  sort: Sort | undefined;
}

/** What a list is searched for and sorted by, which is in the URL. */
export function useListQuery<Sort extends string>(sorts: readonly Sort[]): ListQuery<Sort> {
  const [value = '', onChange] = useSearchFilter('q');
  const [sort] = useSearchFilter('sort', sorts);
  const text = useSettled(value.trim(), SEARCH_AFTER_MS);
  return { field: { value, onChange }, text: text === '' ? undefined : text, sort };
}
