import { Input } from 'antd';
import { Suspense } from 'react';
import { lazyPart } from '../layout/lazy-part.tsx';
import type { CodeFieldProps } from './code-field-props.ts';

const CodeEditor = lazyPart(() => import('./code-editor.tsx'));

/** A code editor. While it is loading, the text can already be edited. */
export function CodeField(props: CodeFieldProps) {
  const { label, value, onChange } = props;
  return (
    <Suspense
      fallback={
        <Input.TextArea
          className="mono"
          aria-label={label}
          value={value}
          onChange={(event) => onChange?.(event.target.value)}
          autoSize={{ minRows: 6, maxRows: 20 }}
          spellCheck={false}
        />
      }
    >
      <CodeEditor {...props} />
    </Suspense>
  );
}
