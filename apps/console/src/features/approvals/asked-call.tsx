import type { AskedCall } from '@platform/contracts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../ui/code/code-field.tsx';
import { formatJson, JsonView } from '../../ui/code/json-view.tsx';
import { getNumberProblem, parseJsonObject } from '../../ui/code/parse-json.ts';
import './approvals.css';

interface AskedCallProps {
  call: AskedCall;
  /** The changed arguments as JSON text; null: as they are shown. */
  text?: string | null;
  /** Absent: they cannot be changed. */
  onText?: (text: string | null) => void;
}

/** The call that a person decides about: tool, method, arguments, and why it is asked. */
export function AskedCallView({ call, text = null, onText }: AskedCallProps) {
  const { t } = useTranslation();
  const label = t('approvals.arguments');
  return (
    <div className="asked-call">
      <p className="mono asked-method">
        {call.tool}.{call.method}
      </p>
      {text === null ? (
        <JsonView value={call.arguments} label={label} />
      ) : (
        <CodeField
          language="json"
          label={label}
          minHeight="96px"
          value={text}
          onChange={(changed) => onText?.(changed)}
        />
      )}
      {text !== null && parseJsonObject(text) === undefined && (
        <p role="alert" className="danger-text">
          {getNumberProblem(text, t) ?? t('approvals.notJson')}
        </p>
      )}
      {onText && (
        <Button
          size="small"
          className="asked-edit"
          onClick={() => onText(text === null ? formatJson(call.arguments) : null)}
        >
          {t(text === null ? 'approvals.edit' : 'approvals.restore')}
        </Button>
      )}
      <p className="muted">
        {t(`approvals.why.${call.rule}`)}
        {call.once && ` ${t('approvals.onceText')}`}
      </p>
    </div>
  );
}

/** The arguments to approve with; undefined if they are not changed, null if the text is no JSON object that can be sent. */
export function readEdited(call: AskedCall, text: string | null): Record<string, unknown> | null | undefined {
  if (text === null) return undefined;
  const edited = parseJsonObject(text);
  if (edited === undefined) return null;
  return formatJson(edited) === formatJson(call.arguments) ? undefined : edited;
}
