import { Select } from 'antd';

/** The option value for "no filter". */
const ANY = '';

interface FilterSelectProps<T extends string> {
  label: string;
  /** Label for "no filter". */
  any: string;
  value: T | undefined;
  onChange: (value: T | undefined) => void;
  options: { value: T; label: string }[];
  width?: number;
  loading?: boolean;
}

/** A filter of a list. Its value is undefined if it is not set. */
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
