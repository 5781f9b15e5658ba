import { Alert } from 'antd';
import { CopyButton } from './copy-button.tsx';

export interface NewSecretProps {
  value: string;
  /** Label of the copy button. */
  label: string;
  warning: string;
}

/** A secret that the service returns only once, with a warning and a copy button. */
export function NewSecret({ value, label, warning }: NewSecretProps) {
  return (
    <div className="stack">
      <Alert type="warning" showIcon title={warning} />
      <div className="secret">
        <code>{value}</code>
        <CopyButton text={value} label={label} size="small" />
      </div>
    </div>
  );
}
