import { Input, InputNumber, Select, Space } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TemplateField } from '../templates/template-field.tsx';
import {
  DURATION_UNITS,
  joinDuration,
  parseDuration,
  splitDuration,
  writeDuration,
  type DurationUnit,
} from './durations.ts';

interface FieldProps<Value> {
  /** Of the form item. */
  id?: string;
  value?: Value;
  onChange?: (value: Value) => void;
}

const DURATION_EXAMPLE = 'P1DT12H';
const TIME_EXAMPLE = '{{inputs.dueAt}}';

/** Milliseconds as an amount and its unit. */
export function DurationField({ id, value, onChange }: FieldProps<number | null | undefined>) {
  const { t } = useTranslation();
  const [unit, setUnit] = useState(() => splitDuration(value ?? 0).unit);
  const amount = value == null ? null : value / joinDuration({ amount: 1, unit });
  const change = (next: number | null, nextUnit: DurationUnit) =>
    onChange?.(next === null ? undefined : joinDuration({ amount: next, unit: nextUnit }));
  return (
    <Space.Compact>
      <InputNumber id={id} min={0} value={amount} onChange={(next) => change(next, unit)} />
      <Select<DurationUnit>
        className="time-unit"
        aria-label={t('steps.time.unit')}
        value={unit}
        options={DURATION_UNITS.map((one) => ({ value: one, label: t(`steps.time.units.${one}`) }))}
        onChange={(next) => {
          setUnit(next);
          change(amount, next);
        }}
      />
    </Space.Compact>
  );
}

/** An ISO 8601 duration as an amount and its unit, or as text: other durations, and templates. */
export function WrittenDurationField({ id, value = '', onChange }: FieldProps<string>) {
  const { t } = useTranslation();
  const parsed = parseDuration(value);
  const [isWritten, setWritten] = useState(parsed === undefined && value !== '');
  const [unit, setUnit] = useState<DurationUnit>(parsed?.unit ?? 'hour');
  const write = (amount: number | null | undefined, next: DurationUnit) =>
    onChange?.(amount == null ? '' : writeDuration({ amount, unit: next }));
  const change = (next: DurationUnit | 'text') => {
    setWritten(next === 'text');
    if (next === 'text') return;
    setUnit(next);
    write(parsed?.amount, next);
  };
  return (
    <Space.Compact>
      {isWritten ? (
        <TemplateField
          {...(id !== undefined && { id })}
          className="mono"
          placeholder={DURATION_EXAMPLE}
          value={value}
          onChange={(text) => onChange?.(text)}
        />
      ) : (
        <InputNumber
          id={id}
          min={1}
          precision={0}
          value={parsed?.amount ?? null}
          onChange={(amount) => write(amount, unit)}
        />
      )}
      <Select<DurationUnit | 'text'>
        className="time-unit"
        aria-label={t('steps.time.unit')}
        value={isWritten ? 'text' : unit}
        options={[...DURATION_UNITS, 'text' as const].map((one) => ({
          value: one,
          label: t(`steps.time.units.${one}`),
        }))}
        onChange={change}
      />
    </Space.Compact>
  );
}

/** A time that is picked, or a template. */
export function TimeField({ id, value = '', onChange }: FieldProps<string>) {
  const { t } = useTranslation();
  const local = toLocal(value);
  const [mode, setMode] = useState<'time' | 'text'>(local === undefined && value !== '' ? 'text' : 'time');
  return (
    <Space.Compact>
      {mode === 'text' ? (
        <TemplateField
          {...(id !== undefined && { id })}
          className="mono"
          placeholder={TIME_EXAMPLE}
          value={value}
          onChange={(text) => onChange?.(text)}
        />
      ) : (
        <Input
          id={id}
          type="datetime-local"
          value={local ?? ''}
          onChange={({ target }) =>
            onChange?.(target.value === '' ? '' : new Date(target.value).toISOString())
          }
        />
      )}
      <Select<'time' | 'text'>
        className="time-unit"
        aria-label={t('steps.time.as')}
        value={mode}
        options={[
          { value: 'time', label: t('steps.time.picked') },
          { value: 'text', label: t('steps.time.written') },
        ]}
        onChange={setMode}
      />
    </Space.Compact>
  );
}

/** Returns the time as the input of the browser wants it, or undefined for a template. */
function toLocal(value: string): string | undefined {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return undefined;
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
