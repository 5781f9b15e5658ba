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

/** A filter of a list. Its value is undefined if it is not set. The browser's own field: list pages stay small. */
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
    <select
      className="filter-select"
      style={{ width }}
      aria-label={label}
      aria-busy={loading}
      value={value ?? ANY}
      onChange={({ target }) => onChange(options.find((option) => option.value === target.value)?.value)}
    >
      <option value={ANY}>{any}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
