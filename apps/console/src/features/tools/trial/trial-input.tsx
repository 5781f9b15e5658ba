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
import { InputForm } from './input-form.tsx';

/** The input of a trial as text, which is prepared from the schema of the method. */
export function useTrialInput(method: ToolMethod) {
  const [prepared] = useState(() => formatJson(prepareInput(method)));
  const [text, setText] = useState(prepared);
  const [fields] = useState(() => listInputFields(method));
  const [isValid, setValid] = useState(true);
  const schema = method.inputSchema as JsonSchema;
  return { schema, prepared, text, setText, fields, input: parseJsonObject(text), isValid, setValid };
}

/** Edits the input in a form or as JSON. */
export function TrialInput({ trial }: { trial: ReturnType<typeof useTrialInput> }) {
  const { t } = useTranslation();
  const { schema, text, setText, fields, input, setValid } = trial;
  const [described] = useState(() => listFields(schema));
  const [view, setView] = useState<'form' | 'json'>(fields === null ? 'json' : 'form');
  return (
    <>
      {fields !== null && (
        <Segmented<'form' | 'json'>
          size="small"
          aria-label={t('toolPages.inputView')}
          value={view}
          onChange={(next) => {
            setView(next);
            // A text that is not valid is lost with its field.
            setValid(true);
          }}
          options={[
            { value: 'form', label: t('toolPages.form'), disabled: input === undefined },
            { value: 'json', label: t('toolPages.json') },
          ]}
          className="self-start"
        />
      )}
      {view === 'form' && fields !== null ? (
        <InputForm
          fields={fields}
          input={input ?? {}}
          onChange={(next, isValid) => {
            setText(formatJson(next));
            setValid(isValid);
          }}
        />
      ) : (
        <JsonInput text={text} isValid={input !== undefined} onChange={setText} />
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
