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
  const { mode, switchTo, conditions, enterConditions, text, enterText, ...entered } = useFilterInput(
    initial,
    onChange,
  );
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
            { value: 'fields', label: t('filter.fields'), disabled: !entered.canShowFields },
            { value: 'json', label: t('filter.json') },
          ]}
        />
      </div>
      {mode === 'json' || conditions === null ? (
        <FilterJson text={text} onChange={enterText} {...entered} />
      ) : (
        <Conditions conditions={conditions} schema={schema} onChange={enterConditions} />
      )}
    </div>
  );
}

/** What is entered as fields, and as JSON. A switch makes the one from the other, and loses neither. */
function useFilterInput(initial: EventFilter | null, onChange: FilterEditorProps['onChange']) {
  const [conditions, setConditions] = useState(() => toConditions(initial));
  const [text, setText] = useState(() => (initial === null ? '' : formatJson(initial)));
  const [mode, setMode] = useState<Mode>(conditions === null ? 'json' : 'fields');
  /** Where something was entered last. */
  const [source, setSource] = useState<Mode>(mode);
  const isUnfinished = conditions !== null && listComplete(conditions).length < conditions.length;
  const written = readText(text, isUnfinished);
  const [reported, setReported] = useState<EventFilter | null | undefined>(initial);
  const report = (filter: EventFilter | null | undefined) => {
    // A form around it would take the same filter for a change.
    if (formatJson(filter) === formatJson(reported)) return;
    setReported(filter);
    onChange(filter);
  };

  const enterConditions = (next: Condition[]) => {
    setConditions(next);
    setSource('fields');
    report(readConditions(next));
  };
  const enterText = (next: string) => {
    setText(next);
    setSource('json');
    report(readText(next, isUnfinished));
  };
  const showText = () => {
    const filter = source === 'json' ? undefined : toFilter(listComplete(conditions ?? []));
    const next = filter === undefined ? text : filter === null ? '' : formatJson(filter);
    setText(next);
    report(readText(next, isUnfinished));
  };
  const showConditions = () => {
    const isNewer = source === 'json' && written !== undefined;
    const next = isNewer ? toConditions(written) : conditions;
    setConditions(next);
    if (isNewer) setSource('fields');
    report(next === null ? undefined : readConditions(next));
  };
  const switchTo = (next: Mode) => {
    if (next === 'json') showText();
    else showConditions();
    setMode(next);
  };
  return {
    mode,
    switchTo,
    conditions,
    enterConditions,
    text,
    enterText,
    isValid: written !== undefined,
    isUnfinished,
    /** Whether the text has no more than the fields. */
    isFromFields: source === 'fields',
    canShowFields: (written === undefined ? conditions : toConditions(written)) !== null,
  };
}

function listComplete(conditions: readonly Condition[]): Condition[] {
  return conditions.filter((one) => findProblem(one, conditions) === null);
}

function readConditions(conditions: readonly Condition[]): EventFilter | null | undefined {
  return listComplete(conditions).length === conditions.length ? toFilter(conditions) : undefined;
}

/** No text means no filter, but not while a condition that was begun is missing in it. */
function readText(text: string, isUnfinished: boolean): EventFilter | null | undefined {
  return text.trim() === '' && isUnfinished ? undefined : parseFilterText(text);
}

interface FilterJsonProps {
  text: string;
  isValid: boolean;
  isUnfinished: boolean;
  isFromFields: boolean;
  canShowFields: boolean;
  onChange: (text: string) => void;
}

function FilterJson({ text, isValid, isUnfinished, isFromFields, canShowFields, onChange }: FilterJsonProps) {
  const { t } = useTranslation();
  const hint = useId();
  const problem =
    isUnfinished && text.trim() === ''
      ? t('filter.unfinished')
      : (getNumberProblem(text, t) ?? t('filter.notAnObject'));
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
        {isValid ? t(canShowFields ? 'filter.jsonHint' : 'filter.onlyJson') : problem}
      </p>
      {isValid && isUnfinished && isFromFields && <p className="muted hint">{t('filter.leftOut')}</p>}
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
  const nextKey = useRef(Math.max(-1, ...conditions.map(({ key }) => key)) + 1);
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
