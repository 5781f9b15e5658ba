import type { JsonSchema, ToolMethod } from '@platform/contracts';
import { Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../../ui/code/code-field.tsx';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { getNumberProblem, parseJsonObject } from '../../../ui/code/parse-json.ts';
import { createSample, listFields } from '../../events/catalog/schema.ts';
import { SchemaView } from '../../events/catalog/schema-view.tsx';
import { listInputFields } from './input-fields.ts';
import { InputForm, type FormInput } from './input-form.tsx';

type View = 'form' | 'json';

/** The input of a trial, which is prepared from the schema of the method. A switch of the view loses nothing of it. */
export function useTrialInput(method: ToolMethod) {
  const [prepared] = useState(() => formatJson(prepareInput(method)));
  const [fields] = useState(() => listInputFields(method));
  const [view, setView] = useState<View>(fields === null ? 'json' : 'form');
  const [form, setForm] = useState<FormInput>(() => ({
    input: parseJsonObject(prepared) ?? {},
    drafts: new Map(),
  }));
  const [json, setJson] = useState(prepared);
  /** Where something was entered last. */
  const [source, setSource] = useState<View>(view);

  const enterForm = (next: FormInput) => {
    setForm(next);
    setSource('form');
  };
  const enterJson = (next: string) => {
    setJson(next);
    setSource('json');
  };
  const switchTo = (next: View) => {
    const written = parseJsonObject(json);
    if (next === 'json' && source === 'form') setJson(formatForm(form));
    else if (next === 'form' && source === 'json' && written !== undefined)
      enterForm({ input: written, drafts: new Map() });
    setView(next);
  };
  const text = view === 'form' ? formatForm(form) : json;
  return {
    schema: method.inputSchema as JsonSchema,
    prepared,
    fields,
    view,
    switchTo,
    form,
    enterForm,
    enterJson,
    text,
    input: parseJsonObject(text),
    /** The ports whose fields have no value that the JSON could show. */
    missing: source === 'form' ? [...form.drafts.keys()] : [],
    isValid: view === 'json' || form.drafts.size === 0,
  };
}

/** The JSON of what the fields have. */
function formatForm({ input, drafts }: FormInput): string {
  return formatJson(Object.fromEntries(Object.entries(input).filter(([name]) => !drafts.has(name))));
}

/** Edits the input in a form or as JSON. */
export function TrialInput({ trial }: { trial: ReturnType<typeof useTrialInput> }) {
  const { t } = useTranslation();
  const { schema, view, switchTo, fields, form, enterForm, text, enterJson, input, missing } = trial;
  const [described] = useState(() => listFields(schema));
  return (
    <>
      {fields !== null && (
        <Segmented<View>
          size="small"
          aria-label={t('toolPages.inputView')}
          value={view}
          onChange={switchTo}
          options={[
            { value: 'form', label: t('toolPages.form') },
            { value: 'json', label: t('toolPages.json') },
          ]}
          className="self-start"
        />
      )}
      {view === 'form' && fields !== null ? (
        <InputForm fields={fields} form={form} onChange={enterForm} />
      ) : (
        <JsonInput text={text} isValid={input !== undefined} onChange={enterJson} />
      )}
      {view === 'json' && missing.length > 0 && (
        <p className="muted">{t('toolPages.onlyInForm', { names: missing.join(', ') })}</p>
      )}
      {described.some(({ depth }) => view === 'json' || depth > 0) && (
        <details className="input-fields">
          <summary>{t('toolPages.inputFields')}</summary>
          <SchemaView schema={schema} label={t('toolPages.inputFields')} />
        </details>
      )}
    </>
  );
}

interface JsonInputProps {
  text: string;
  isValid: boolean;
  onChange: (text: string) => void;
}

function JsonInput({ text, isValid, onChange }: JsonInputProps) {
  const { t } = useTranslation();
  return (
    <>
      <CodeField
        language="json"
        label={t('toolPages.input')}
        value={text}
        onChange={onChange}
        minHeight="140px"
      />
      {!isValid && <p className="danger-text">{getNumberProblem(text, t) ?? t('toolPages.notAnObject')}</p>}
    </>
  );
}

/** What the method needs, and what its schema suggests. A path cannot do without its variables. */
function prepareInput({ inputSchema, bindings }: ToolMethod): unknown {
  const required = Array.isArray(inputSchema.required) ? (inputSchema.required as string[]) : [];
  const inPath = bindings.filter((binding) => binding.in === 'path').map(({ port }) => port);
  const schema = { ...inputSchema, required: [...required, ...inPath] } as JsonSchema;
  return createSample(schema, { isMinimal: true });
}
