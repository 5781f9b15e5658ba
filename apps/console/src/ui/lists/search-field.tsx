import { Input } from 'antd';
import { CLEARABLE } from '../layout/antd-icons.tsx';

interface SearchFieldProps {
  /** What is searched, also as the placeholder. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}

/** Searches a list that is already loaded, while one types. */
export function SearchField({ label, value, onChange, className }: SearchFieldProps) {
  return (
    <Input.Search
      className={className}
      allowClear={CLEARABLE}
      placeholder={label}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
