import type { CodeFieldProps } from '../src/ui/code/code-field-props.ts';

/** Takes the place of the code editor, which needs a real browser. */
export default function PlainEditor({ label, value = '', onChange }: CodeFieldProps) {
  return <textarea aria-label={label} value={value} onChange={({ target }) => onChange?.(target.value)} />;
}
