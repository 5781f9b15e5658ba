import { Input, Select } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getNumberProblem } from '../../../ui/code/parse-json.ts';
import {
  formatValue,
  getKindOf,
  parseText,
  withValue,
  type InputField,
  type ParsedText,
} from './input-fields.ts';
import './input-form.css';

/** What is entered in the fields. */
export interface FormInput {
  input: Record<string, unknown>;
  /** Texts that are no values of their fields, by the names of the ports. The input has the last values of these. */
  drafts: ReadonlyMap<string, string>;
}

interface InputFormProps {
  fields: readonly InputField[];
  form: FormInput;
  onChange: (form: FormInput) => void;
}

/** A field for each port of a method. It reads the input once: nothing else changes it while the form is shown. */
export function InputForm({ fields, form: { input, drafts }, onChange }: InputFormProps) {
  const { t } = useTranslation();
  const others = Object.keys(input).filter((key) => fields.every(({ name }) => name !== key));
  const change = (name: string, text: string, parsed: ParsedText) => {
    const next = new Map(drafts);
    if ('problem' in parsed) next.set(name, text);
    else next.delete(name);
    onChange({ input: 'problem' in parsed ? input : withValue(input, name, parsed.value), drafts: next });
  };
  return (
    <div className="input-form" role="group" aria-label={t('toolPages.input')}>
      {fields.map((field) => (
        <PortField
          key={field.name}
          field={field}
          initialValue={input[field.name]}
          draft={drafts.get(field.name)}
          onChange={(text, parsed) => change(field.name, text, parsed)}
        />
      ))}
      {others.length > 0 && (
        <p className="muted">{t('toolPages.onlyInJson', { names: others.join(', ') })}</p>
      )}
    </div>
  );
}

interface PortFieldProps {
  field: InputField;
  initialValue: unknown;
  /** What the field showed before, if that is no value. */
  draft: string | undefined;
  onChange: (text: string, parsed: ParsedText) => void;
}

function PortField({ field, initialValue, draft, onChange }: PortFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const [kind] = useState(() => getKindOf(field, initialValue));
  const [text, setText] = useState(() => draft ?? formatValue(kind, initialValue));
  const { name, type, place, required, description } = field;
  const parsed = parseText(kind, text, required);
  const problem = 'problem' in parsed ? parsed.problem : null;
  const numberProblem = kind === 'json' ? getNumberProblem(text, t) : null;
  const enter = (entered: string) => {
    setText(entered);
    onChange(entered, parseText(kind, entered, required));
  };
  const choices = kind === 'boolean' ? [true, false] : field.choices;
  return (
    <div className="input-port">
      <div className="row wrap">
        <label htmlFor={id} className="mono">
          {name}
          {required && <span aria-hidden> *</span>}
        </label>
        <span className="muted">
          {type}
          {place !== null && ` · ${t(`toolPages.portPlaces.${place}`)}`}
        </span>
      </div>
      {kind === 'boolean' || kind === 'choice' ? (
        <Select
          id={id}
          aria-required={required}
          aria-describedby={`${id}-hint`}
          allowClear={!required}
          value={text === '' ? undefined : text}
          options={choices.map((choice) => ({
            value: formatValue(kind, choice),
            label: typeof choice === 'string' ? choice : formatValue(kind, choice),
          }))}
          placeholder={t('toolPages.leftOut')}
          onChange={(chosen: string | undefined) => enter(chosen ?? '')}
        />
      ) : (
        <Input.TextArea
          id={id}
          className={kind === 'json' ? 'mono' : undefined}
          aria-required={required}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-hint`}
          status={problem === null ? '' : 'error'}
          autoSize={{ minRows: kind === 'json' ? 3 : 1, maxRows: 10 }}
          inputMode={kind === 'text' || kind === 'json' ? undefined : 'decimal'}
          spellCheck={false}
          value={text}
          onChange={({ target }) => enter(target.value)}
        />
      )}
      <p id={`${id}-hint`} className={problem === null ? 'muted' : 'danger-text'}>
        {problem === null ? description : (numberProblem ?? t(`toolPages.problems.${problem}`))}
      </p>
    </div>
  );
}
