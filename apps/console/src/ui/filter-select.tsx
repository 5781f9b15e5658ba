import { Select } from 'antd';

/** What "no filter" is among the options. */
const ANY = '';

interface FilterSelectProps<T extends string> {
  label: string;
  /** The word for "no filter". */
  any: string;
  value: T | undefined;
  onChange: (value: T | undefined) => void;
  options: { value: T; label: string }[];
  width?: number;
  loading?: boolean;
}

/** One filter of a list; undefined: not set. */
export function FilterSelect<T extends string>({
  label,
  any,
  value,
  onChange,
  options,
  width = 180,
  loading = false,
}: FilterSelectProps<T>) {
  return (
    <Select<T | typeof ANY>
      style={{ width }}
      aria-label={label}
      loading={loading}
      value={value ?? ANY}
      onChange={(next) => onChange(next === ANY ? undefined : next)}
      showSearch={options.length > 10 && { optionFilterProp: 'label' }}
      options={[{ value: ANY, label: any }, ...options]}
    />
  );
}
