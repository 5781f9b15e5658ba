import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import CodeMirror, { EditorState, EditorView, type Extension } from '@uiw/react-codemirror';
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
  complete,
}: CodeFieldProps) {
  const scheme = useScheme();
  const extensions = useMemo(
    () => [
      LANGUAGES[language],
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      ...(complete ? [suggest(complete)] : []),
    ],
    [language, label, complete],
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

function suggest(complete: NonNullable<CodeFieldProps['complete']>): Extension {
  const autocomplete = ({ state, pos }: { state: EditorState; pos: number }) => {
    const found = complete(state.doc.toString(), pos);
    if (found === null) return null;
    const options = found.items.map(({ label, insert }) => ({ label, apply: insert }));
    return { from: found.from, to: found.to, options, filter: false };
  };
  return EditorState.languageData.of(() => [{ autocomplete }]);
}
