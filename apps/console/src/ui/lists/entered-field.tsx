import { useId, useState } from 'react';
import { SearchInput } from './search-input.tsx';

interface EnteredFieldProps {
  /** Also the placeholder. It says that Enter begins the search. */
  label: string;
  /** What exactly is searched, if the label does not say it. */
  hint?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  maxLength: number;
  /** Values that are offered while one types. */
  suggestions?: readonly string[];
}

/** A filter that begins with Enter: the search reads too much to begin with each letter. */
export function EnteredField({
  label,
  hint,
  value,
  onChange,
  maxLength,
  suggestions = [],
}: EnteredFieldProps) {
  const id = useId();
  const [shown, setShown] = useState({ value, text: value ?? '' });
  // The value has changed elsewhere, such as with a saved view.
  if (shown.value !== value) setShown({ value, text: value ?? '' });
  const enter = (text: string) => {
    const next = text.trim() || undefined;
    if (next !== value) onChange(next);
  };
  return (
    <>
      <SearchInput
        label={label}
        title={hint}
        list={suggestions.length > 0 ? id : undefined}
        value={shown.text}
        maxLength={maxLength}
        onChange={({ target }) => setShown({ value, text: target.value })}
        onPressEnter={({ currentTarget }) => enter(currentTarget.value)}
        onClear={() => enter('')}
      />
      {suggestions.length > 0 && (
        <datalist id={id}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}
