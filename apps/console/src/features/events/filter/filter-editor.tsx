import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import type { EventFilter, JsonSchema } from '@platform/contracts';
import { AutoComplete, Button, Input, Segmented, Select } from 'antd';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { getNumberProblem } from '../../../ui/code/parse-json.ts';
import {
  findProblem,
  needsValue,
  OPERATOR_NAMES,
  OPERATORS,
  parseFilterText,
  suggestKind,
  toConditions,
  toFilter,
  withOperator,
  type Condition,
} from './filter-conditions.ts';
import { findFieldType, listFields } from '../catalog/schema.ts';

interface FilterEditorProps {
  initial: EventFilter | null;
  schema: JsonSchema | undefined;
  /** Receives undefined while the input is not a valid filter. */
  onChange: (filter: EventFilter | null | undefined) => void;
}

type Mode = 'fields' | 'json';

/** Edits a filter as a list of fields, or as JSON. Filters that the list cannot express open as JSON. */
export function FilterEditor({ initial, schema, onChange }: FilterEditorProps) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState<EventFilter | null | undefined>(initial);
  const [conditions, setConditions] = useState(() => toConditions(initial));
  const [mode, setMode] = useState<Mode>(conditions === null ? 'json' : 'fields');
  const [text, setText] = useState(() => (initial === null ? '' : formatJson(initial)));

  const change = (next: EventFilter | null | undefined) => {
    setFilter(next);
    onChange(next);
  };
  const switchTo = (next: Mode) => {
    if (next === 'json') setText(filter === null || filter === undefined ? '' : formatJson(filter));
    else setConditions(toConditions(filter ?? null));
    setMode(next);
  };
  const canShowFields = filter !== undefined && toConditions(filter) !== null;

  return (
    <div className="stack filter-editor">
      <div className="row wrap">
        <span className="muted grow">{t('filter.hint')}</span>
        <Segmented<Mode>
          size="small"
          aria-label={t('filter.mode')}
          value={mode}
          onChange={switchTo}
          options={[
            { value: 'fields', label: t('filter.fields'), disabled: mode === 'json' && !canShowFields },
            { value: 'json', label: t('filter.json') },
          ]}
        />
      </div>
      {mode === 'json' || conditions === null ? (
        <FilterJson
          text={text}
          isValid={filter !== undefined}
          isSimple={canShowFields}
          onChange={(next) => {
            setText(next);
            change(parseFilterText(next));
          }}
        />
      ) : (
        <Conditions
          conditions={conditions}
          schema={schema}
          onChange={(next) => {
            setConditions(next);
            change(next.every((one) => findProblem(one, next) === null) ? toFilter(next) : undefined);
          }}
        />
      )}
    </div>
  );
}

interface FilterJsonProps {
  text: string;
  isValid: boolean;
  isSimple: boolean;
  onChange: (text: string) => void;
}

function FilterJson({ text, isValid, isSimple, onChange }: FilterJsonProps) {
  const { t } = useTranslation();
  const hint = useId();
  return (
    <div>
      <Input.TextArea
        className="mono"
        aria-label={t('filter.json')}
        aria-describedby={hint}
        aria-invalid={!isValid}
        status={isValid ? '' : 'error'}
        autoSize={{ minRows: 4, maxRows: 14 }}
        spellCheck={false}
        placeholder={'{ "status": ["paid", "free"] }'}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={hint} className={isValid ? 'muted hint' : 'danger-text hint'}>
        {isValid
          ? t(isSimple ? 'filter.jsonHint' : 'filter.onlyJson')
          : (getNumberProblem(text, t) ?? t('filter.notAnObject'))}
      </p>
    </div>
  );
}

interface ConditionsProps {
  conditions: readonly Condition[];
  schema: JsonSchema | undefined;
  onChange: (conditions: Condition[]) => void;
}

function Conditions({ conditions, schema, onChange }: ConditionsProps) {
  const { t } = useTranslation();
  const nextKey = useRef(conditions.length);
  const add = () =>
    onChange([
      ...conditions,
      { key: nextKey.current++, field: '', operator: 'is', kind: 'text', values: [] },
    ]);
  return (
    <>
      {conditions.length === 0 && <p className="muted">{t('filter.none')}</p>}
      <ol className="conditions">
        {conditions.map((condition, i) => (
          <ConditionRow
            key={condition.key}
            number={i + 1}
            condition={condition}
            problem={findProblem(condition, conditions)}
            schema={schema}
            onChange={(changes) =>
              onChange(conditions.map((one) => (one === condition ? { ...one, ...changes } : one)))
            }
            onRemove={() => onChange(conditions.filter((one) => one !== condition))}
          />
        ))}
      </ol>
      <div>
        <Button size="small" icon={<PlusOutlined aria-hidden />} onClick={add}>
          {t('filter.add')}
        </Button>
      </div>
    </>
  );
}

interface ConditionRowProps {
  number: number;
  condition: Condition;
  problem: ReturnType<typeof findProblem>;
  schema: JsonSchema | undefined;
  onChange: (changes: Partial<Condition>) => void;
  onRemove: () => void;
}

function ConditionRow({ number, condition, problem, schema, onChange, onRemove }: ConditionRowProps) {
  const { t } = useTranslation();
  const { field, operator, kind, values } = condition;
  const { kinds } = OPERATORS[operator];
  // What is inside of a list has no path.
  const names = listFields(schema ?? {}).filter(({ path }) => !path.includes('[]'));
  const chooseField = (name: string) => {
    const type = findFieldType(schema, name);
    const isNew = values.length === 0;
    onChange({ field: name, ...(isNew && type !== null && { kind: suggestKind(type) }) });
  };
  const of = { number };
  // What is not entered yet is not an error.
  const isMissing = problem === 'FIELD_MISSING' || problem === 'VALUE_MISSING';

  return (
    <li>
      <div className="condition">
        <AutoComplete
          aria-label={t('filter.fieldOf', of)}
          placeholder={t('filter.field')}
          value={field}
          onChange={chooseField}
          options={names.map(({ path }) => ({ value: path }))}
          showSearch={{ filterOption: true }}
          className="condition-field"
        />
        <Select
          aria-label={t('filter.operatorOf', of)}
          value={operator}
          onChange={(next) => onChange(withOperator(condition, next))}
          options={OPERATOR_NAMES.map((one) => ({ value: one, label: t(`filter.operators.${one}`) }))}
          className="condition-operator"
        />
        {kinds.length > 0 && (
          <Select
            aria-label={t('filter.kindOf', of)}
            value={kind}
            onChange={(next) => onChange({ kind: next, values: [] })}
            options={kinds.map((one) => ({ value: one, label: t(`filter.kinds.${one}`) }))}
            className="condition-kind"
          />
        )}
        {needsValue(condition) && (
          <ConditionValues label={t('filter.valuesOf', of)} condition={condition} onChange={onChange} />
        )}
        <Button
          type="text"
          icon={<DeleteOutlined aria-hidden />}
          aria-label={t('filter.remove', { name: field || number })}
          onClick={onRemove}
        />
      </div>
      {problem !== null && (
        <p className={isMissing ? 'hint muted' : 'hint danger-text'} role="status">
          {t(`filter.problems.${problem}`)}
        </p>
      )}
    </li>
  );
}

interface ConditionValuesProps {
  label: string;
  condition: Condition;
  onChange: (changes: Pick<Condition, 'values'>) => void;
}

function ConditionValues({ label, condition, onChange }: ConditionValuesProps) {
  const { t } = useTranslation();
  const { operator, kind, values } = condition;
  const [value] = values;
  if (!OPERATORS[operator].isList) {
    return (
      <Input
        aria-label={label}
        placeholder={t('filter.value')}
        value={value}
        onChange={({ target }) => onChange({ values: target.value === '' ? [] : [target.value] })}
        className="condition-values"
      />
    );
  }
  return (
    <Select
      mode={kind === 'boolean' ? 'multiple' : 'tags'}
      aria-label={label}
      placeholder={t(operator === 'is' ? 'filter.values' : 'filter.noneOf')}
      value={values}
      onChange={(next: string[]) => onChange({ values: next.slice(0, 100) })}
      tokenSeparators={kind === 'number' ? [',', ' '] : []}
      options={kind === 'boolean' ? ['true', 'false'].map((one) => ({ value: one, label: one })) : []}
      {...(kind !== 'boolean' && { open: false, suffix: null })}
      className="condition-values"
    />
  );
}
