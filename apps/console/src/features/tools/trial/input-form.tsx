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

interface InputFormProps {
  fields: readonly InputField[];
  input: Record<string, unknown>;
  /** While a text is no value of the type of its field, `isValid` is false, and the input has the last value. */
  onChange: (input: Record<string, unknown>, isValid: boolean) => void;
}

/** A field for each port of a method. It reads the input once: nothing else changes it while the form is shown. */
export function InputForm({ fields, input, onChange }: InputFormProps) {
  const { t } = useTranslation();
  const [invalid, setInvalid] = useState<ReadonlySet<string>>(new Set());
  const others = Object.keys(input).filter((key) => fields.every(({ name }) => name !== key));
  const change = (name: string, parsed: ParsedText) => {
    const stillInvalid = new Set(invalid);
    if ('problem' in parsed) stillInvalid.add(name);
    else stillInvalid.delete(name);
    setInvalid(stillInvalid);
    const next = 'problem' in parsed ? input : withValue(input, name, parsed.value);
    onChange(next, stillInvalid.size === 0);
  };
  return (
    <div className="input-form" role="group" aria-label={t('toolPages.input')}>
      {fields.map((field) => (
        <PortField
          key={field.name}
          field={field}
          initialValue={input[field.name]}
          onChange={(parsed) => change(field.name, parsed)}
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
  onChange: (parsed: ParsedText) => void;
}

function PortField({ field, initialValue, onChange }: PortFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const [kind] = useState(() => getKindOf(field, initialValue));
  const [text, setText] = useState(() => formatValue(kind, initialValue));
  const { name, type, place, required, description } = field;
  const parsed = parseText(kind, text, required);
  const problem = 'problem' in parsed ? parsed.problem : null;
  const numberProblem = kind === 'json' ? getNumberProblem(text, t) : null;
  const enter = (entered: string) => {
    setText(entered);
    onChange(parseText(kind, entered, required));
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
