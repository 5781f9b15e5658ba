import type { ManifestColumn } from '@platform/contracts';
import { Button, Input } from 'antd';
import { useState, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { isInexact } from '../../../ui/code/inexact-number.ts';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { FilterText } from '../../events/filter/filter-text.tsx';
import { addCondition, operatorsOf, parseValue, type RowFilter, type RowOperator } from './row-filter.ts';

const BOOLEANS = ['true', 'false'] as const;

interface RowFilterBarProps {
  columns: ManifestColumn[];
  filter: RowFilter;
  onChange: (filter: RowFilter) => void;
}

/** Adds one condition after another, and shows those that are set. */
export function RowFilterBar({ columns, filter, onChange }: RowFilterBarProps) {
  const { t } = useTranslation();
  const comparable = columns.filter(({ type }) => operatorsOf(type).length > 0);
  const [chosen, choose] = useState<string>();
  const [operator, setOperator] = useState<RowOperator>();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const column = comparable.find(({ name }) => name === chosen) ?? comparable[0];
  if (column === undefined) return null;
  const { name, type } = column;
  const operators = operatorsOf(type);
  const comparison = operators.find((one) => one === operator) ?? operators[0] ?? 'is';

  const add = (event: SyntheticEvent) => {
    event.preventDefault();
    const value = parseValue(type, text);
    const isWrong = value === null && type !== 'string' && type !== 'json';
    setProblem(isWrong ? t(isInexact(text) ? 'jsonNumbers.notHeld' : `rows.values.${type}`) : null);
    if (value === null) return;
    onChange(addCondition(filter, name, comparison, value));
    setText('');
  };

  return (
    <>
      <form className="toolbar" onSubmit={add}>
        <FilterSelect
          label={t('rows.column')}
          value={name}
          onChange={(next) => {
            choose(next);
            setText('');
            setProblem(null);
          }}
          options={choices(comparable.map((one) => one.name))}
        />
        <FilterSelect
          label={t('rows.operator')}
          value={comparison}
          onChange={setOperator}
          options={operators.map((value) => ({ value, label: t(`filter.operators.${value}`) }))}
          width={150}
        />
        {type === 'boolean' ? (
          <FilterSelect
            label={t('rows.value')}
            any="–"
            value={text}
            onChange={(next) => setText(next ?? '')}
            options={choices(BOOLEANS)}
            width={110}
          />
        ) : (
          <Input
            style={{ width: 220 }}
            type={type === 'datetime' ? 'datetime-local' : 'text'}
            aria-label={t('rows.value')}
            placeholder={t('rows.value')}
            maxLength={99}
            value={text}
            {...(problem !== null && { status: 'error' })}
            onChange={({ target }) => setText(target.value)}
          />
        )}
        <Button htmlType="submit">{t('rows.filter')}</Button>
        {problem !== null && (
          <span className="danger-text" role="alert">
            {problem}
          </span>
        )}
      </form>
      {Object.keys(filter).length > 0 && (
        <p className="toolbar">
          <FilterText filter={filter} />
          <Button size="small" type="text" onClick={() => onChange({})}>
            {t('rows.clear')}
          </Button>
        </p>
      )}
    </>
  );
}

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
