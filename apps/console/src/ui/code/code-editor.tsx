import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import CodeMirror, { EditorView, type Extension } from '@uiw/react-codemirror';
import { useMemo } from 'react';
import { useScheme } from '../../theme.ts';
import './code-editor.css';
import type { CodeFieldProps } from './code-field-props.ts';

/** Code of a step runs as the body of an async function, where `return` and `await` are allowed. */
const LANGUAGES: Record<CodeFieldProps['language'], Extension> = {
  javascript: javascript(),
  json: json(),
};

/** Loaded only by pages that edit code. Tab moves the focus, as everywhere else on the page. */
export default function CodeEditor({
  language,
  label,
  value = '',
  onChange,
  minHeight = '120px',
}: CodeFieldProps) {
  const scheme = useScheme();
  const extensions = useMemo(
    () => [
      LANGUAGES[language],
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
    ],
    [language, label],
  );
  return (
    <CodeMirror
      className="code-editor"
      value={value}
      onChange={onChange ?? (() => undefined)}
      theme={scheme}
      minHeight={minHeight}
      maxHeight="480px"
      indentWithTab={false}
      basicSetup={{ foldGutter: false, highlightActiveLine: false, highlightActiveLineGutter: false }}
      extensions={extensions}
    />
  );
}
