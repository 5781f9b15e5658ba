import { Alert } from 'antd';
import { CopyButton } from './copy-button.tsx';

/** A secret that the server tells once: what it is, the value, copy. */
export function SecretOnce({ value, label, warning }: { value: string; label: string; warning: string }) {
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
