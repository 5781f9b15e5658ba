import { CloseOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunOptions } from './call.ts';

interface VariableRowsProps {
  values: RunOptions['variables'];
  onChange: (values: RunOptions['variables']) => void;
}

/** Names and values, for an agent whose prompt the user may not read. */
export function VariableRows({ values, onChange }: VariableRowsProps) {
  const { t } = useTranslation();
  const [rows, setRows] = useState(() => Object.entries(values).map(([name, value]) => ({ name, value })));
  const set = (next: typeof rows) => {
    setRows(next);
    onChange(
      Object.fromEntries(next.filter(({ name }) => name !== '').map(({ name, value }) => [name, value])),
    );
  };
  return (
    <>
      {rows.map(({ name, value }, i) => (
        <div key={i} className="variable-row">
          <Input
            className="mono"
            aria-label={t('run.variableName', { n: i + 1 })}
            placeholder={t('run.name')}
            value={name}
            onChange={({ target }) => set(rows.with(i, { name: target.value.trim(), value }))}
          />
          <Input
            aria-label={t('run.variableValue', { n: i + 1 })}
            placeholder={t('run.value')}
            value={value}
            onChange={({ target }) => set(rows.with(i, { name, value: target.value }))}
          />
          <Button
            type="text"
            icon={<CloseOutlined aria-hidden />}
            aria-label={t('run.removeVariable', { n: i + 1 })}
            onClick={() => set(rows.filter((_, at) => at !== i))}
          />
        </div>
      ))}
      <Button
        size="small"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => set([...rows, { name: '', value: '' }])}
      >
        {t('run.addVariable')}
      </Button>
    </>
  );
}
