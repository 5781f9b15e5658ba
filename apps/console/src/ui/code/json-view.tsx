import { useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy-button.tsx';

/** Larger texts are shown without colors, so that the browser stays fast. */
const MAX_COLORED = 30_000;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

interface JsonViewProps {
  value: unknown;
  /** Accessible name, also of the copy button. */
  label: string;
}

/** A JSON value as indented, colored text. */
export function JsonView({ value, label }: JsonViewProps) {
  const { t } = useTranslation();
  const text = useMemo(() => formatJson(value), [value]);
  const content = useMemo(() => (text.length > MAX_COLORED ? text : color(text)), [text]);
  return (
    <div className="json-view">
      <pre className="code-block" tabIndex={0} role="group" aria-label={label}>
        {content}
      </pre>
      <CopyButton size="small" type="text" text={text} label={t('common.copyNamed', { name: label })} />
    </div>
  );
}

export function formatJson(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** Text is never interpreted: each part becomes a text node. */
function color(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [all, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = string === undefined ? 'literal' : colon === undefined ? 'string' : 'key';
    parts.push(
      <span key={match.index} className={`json-${kind}`}>
        {string ?? all}
      </span>,
      colon ?? '',
    );
    end = match.index + all.length;
  }
  parts.push(text.slice(end));
  return parts;
}
