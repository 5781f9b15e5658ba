import { AutoComplete, Input } from 'antd';
import { useState } from 'react';
import { completeExpression, completeTemplate } from './completion.ts';
import { useTemplatePaths } from './template-context.ts';

interface TemplateFieldProps {
  /** Of the form item. */
  id?: string;
  value?: string | undefined;
  onChange?: (value: string) => void;
  /** Whether the whole text is a JavaScript expression. */
  isExpression?: boolean;
  /** Of a field with several lines. */
  rows?: { minRows: number; maxRows: number };
  className?: string;
  maxLength?: number;
  placeholder?: string;
  'aria-label'?: string;
}

/** A text field that suggests what a template in it can refer to. */
export function TemplateField({
  id,
  value = '',
  onChange,
  isExpression = false,
  rows,
  ...field
}: TemplateFieldProps) {
  const listPaths = useTemplatePaths();
  // Where something is typed; null: nothing is suggested.
  const [caret, setCaret] = useState<number | null>(null);
  const complete = isExpression ? completeExpression : completeTemplate;
  const found = caret === null ? null : complete(value, caret, listPaths);
  const options = (found?.items ?? []).map(({ label, insert }) => {
    const before = `${value.slice(0, found?.from)}${insert}`;
    return { value: before + value.slice(found?.to), label, end: before.length };
  });
  return (
    <AutoComplete
      {...(id !== undefined && { id })}
      className="template-field"
      value={value}
      options={options}
      open={options.length > 0}
      defaultActiveFirstOption
      popupMatchSelectWidth={false}
      showSearch={{
        filterOption: false,
        onSearch: (text) => setCaret(findInput()?.selectionStart ?? text.length),
      }}
      onChange={(text) => onChange?.(text)}
      onSelect={(_, { end }) => {
        setCaret(null);
        // The field has the text after the next drawing.
        requestAnimationFrame(() => findInput()?.setSelectionRange(end, end));
      }}
      onOpenChange={(isOpen) => !isOpen && setCaret(null)}
    >
      {rows ? (
        // A field with several lines cannot have the role of a combobox; what refers to the suggestions it can.
        <Input.TextArea
          {...field}
          autoSize={rows}
          autoComplete="off"
          role={undefined}
          aria-expanded={undefined}
          aria-haspopup={undefined}
        />
      ) : (
        <Input {...field} autoComplete="off" />
      )}
    </AutoComplete>
  );
}

/** The field that is edited. */
function findInput(): HTMLInputElement | HTMLTextAreaElement | null {
  const { activeElement } = document;
  return activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement
    ? activeElement
    : null;
}
