import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePeople, type Person } from './use-people.ts';
import { usePersonName } from './use-person-name.ts';

interface PersonFilterProps {
  /** Also the placeholder. */
  label: string;
  /** The id of a person, who may have left the space. */
  value: string | undefined;
  onChange: (userId: string | undefined) => void;
}

/** A filter for a person, who is searched on the server. The browser's own field: list pages stay small. */
export function PersonFilter({ label, value, onChange }: PersonFilterProps) {
  const { t } = useTranslation();
  const id = useId();
  /** Null: nobody is being searched, and the field shows who was chosen. */
  const [text, setText] = useState<string | null>(null);
  const { people } = usePeople(text ?? '');
  const personName = usePersonName(t('common.formerMember'));
  const choose = (userId: string | undefined) => {
    setText(null);
    if (userId !== value) onChange(userId);
  };
  return (
    <>
      <input
        className="filter-input"
        type="search"
        placeholder={label}
        aria-label={label}
        list={id}
        value={text ?? (value === undefined ? '' : (personName(value) ?? '…'))}
        maxLength={200}
        onChange={({ target }) => {
          const chosen = people.find((person) => suggestionOf(person) === target.value);
          if (chosen !== undefined || target.value === '') choose(chosen?.value);
          else setText(target.value);
        }}
        onKeyDown={({ key, nativeEvent }) => {
          if (key !== 'Enter' || nativeEvent.isComposing || text === null) return;
          const found = people.find((person) => isFound(person, text));
          if (found !== undefined) choose(found.value);
        }}
        onBlur={() => setText(null)}
      />
      <datalist id={id}>
        {people.map((person) => (
          <option key={person.value} value={suggestionOf(person)} />
        ))}
      </datalist>
    </>
  );
}

/** Two members can have the same name. */
function suggestionOf({ label, email }: Person): string {
  return `${label} · ${email}`;
}

/** What is offered may still belong to an earlier text. */
function isFound(person: Person, text: string): boolean {
  return suggestionOf(person).toLowerCase().includes(text.trim().toLowerCase());
}
