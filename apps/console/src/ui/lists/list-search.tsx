import { SearchOutlined } from '@ant-design/icons';
import { Input } from 'antd';
import { useSettled } from '../browser/use-settled.ts';
import { CLEARABLE } from '../layout/antd-icons.tsx';
import { useSearchFilter } from '../url/use-search-filter.ts';

/** Typing goes on for a while before a search is sent. */
const SEARCH_AFTER_MS = 250;
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
    <Input
      className="search"
      type="search"
      allowClear={CLEARABLE}
      prefix={<SearchOutlined aria-hidden />}
      placeholder={label}
      aria-label={label}
      value={value}
      maxLength={MAX_CHARS}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

/** The text that a list is searched for, which is in the URL, and what the service is asked once it has been typed. */
export function useListSearch(): {
  field: Pick<ListSearchProps, 'value' | 'onChange'>;
  text: string | undefined;
} {
  const [value = '', onChange] = useSearchFilter('q');
  const text = useSettled(value.trim(), SEARCH_AFTER_MS);
  return { field: { value, onChange }, text: text === '' ? undefined : text };
}
