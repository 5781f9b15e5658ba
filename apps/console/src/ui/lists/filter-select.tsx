/** The option value for "no filter". */
const ANY = '';

interface FilterOption<T extends string> {
  value: T;
  label: string;
  /** Heading of the options that follow each other with the same group. */
  group?: string;
}

interface FilterSelectProps<T extends string> {
  label: string;
  /** Label for "no filter". Without it, one of the options is always chosen. */
  any?: string;
  value: T | undefined;
  onChange: (value: T | undefined) => void;
  options: FilterOption<T>[];
  width?: number | '100%';
  loading?: boolean;
  /** Why there are no more options. */
  note?: string;
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
  note,
}: FilterSelectProps<T>) {
  // Such as of a link to what was deleted. It applies, so it is shown, and can be removed.
  const isUnknown = value !== undefined && options.every((option) => option.value !== value);
  return (
    <select
      className="filter-select"
      style={{ width }}
      aria-label={label}
      aria-busy={loading}
      value={value ?? ANY}
      onChange={({ target }) => onChange(options.find((option) => option.value === target.value)?.value)}
    >
      {any !== undefined && <option value={ANY}>{any}</option>}
      {isUnknown && <option value={value}>{loading ? '…' : value}</option>}
      {splitGroups(options).map(({ group, options: members }) =>
        group === undefined ? (
          members.map(renderOption)
        ) : (
          <optgroup key={group} label={group}>
            {members.map(renderOption)}
          </optgroup>
        ),
      )}
      {note !== undefined && <option disabled>{note}</option>}
    </select>
  );
}

function renderOption({ value, label }: FilterOption<string>) {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  );
}

function splitGroups<T extends string>(options: FilterOption<T>[]) {
  const groups: { group: string | undefined; options: FilterOption<T>[] }[] = [];
  for (const option of options) {
    const last = groups.at(-1);
    if (last !== undefined && last.group === option.group) last.options.push(option);
    else groups.push({ group: option.group, options: [option] });
  }
  return groups;
}
