import { Alert } from 'antd';
import { useRef } from 'react';
import { useUnsavedInput } from '../browser/unsaved-input.ts';
import { CopyButton } from './copy-button.tsx';

export interface NewSecretProps {
  value: string;
  /** Label of the copy button. */
  label: string;
  warning: string;
  /** What it is lost with; by default, a dialog or a drawer. */
  place?: 'page' | 'drawer';
}

/** A secret that the service returns only once, with a warning and a copy button. Leaving it asks as long as it was not copied. */
export function NewSecret({ value, label, warning, place = 'drawer' }: NewSecretProps) {
  const copied = useRef<string>(undefined);
  const keep = () => {
    copied.current = value;
  };
  useUnsavedInput(place, () => copied.current !== value);
  return (
    <div className="stack">
      <Alert type="warning" showIcon title={warning} />
      <div className="secret" onCopy={keep}>
        <code>{value}</code>
        <CopyButton text={value} label={label} size="small" onCopied={keep} />
      </div>
    </div>
  );
}
