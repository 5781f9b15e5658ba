import { PlayCircleOutlined } from '@ant-design/icons';
import { PlatformError } from '@platform/client';
import type { JsonSchema, Tool, ToolInvocation, ToolMethod, ToolServerResponse } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Drawer, Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api.ts';
import { formatBytes } from '../../../ui/format/bytes.ts';
import { CodeField } from '../../../ui/code/code-field.tsx';
import { CopyCode } from '../../../ui/code/copy-code.tsx';
import { formatDuration } from '../../../ui/format/duration.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import { formatJson, JsonView } from '../../../ui/code/json-view.tsx';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { SchemaView } from '../../events/catalog/schema-view.tsx';
import { createSample, listFields } from '../../events/catalog/schema.ts';
import { listInputFields } from './input-fields.ts';
import { InputForm } from './input-form.tsx';
import { formatCurl, formatFetch } from './invoke-code.ts';

interface TryDrawerProps {
  tool: Tool;
  method: ToolMethod;
  onClose: () => void;
}

/** Calls a method with an input that is prepared from its schema, and edited in a form or as JSON. */
export function TryDrawer({ tool, method, onClose }: TryDrawerProps) {
  const { t } = useTranslation();
  const schema = method.inputSchema as JsonSchema;
  const [prepared] = useState(() => formatJson(prepareInput(method)));
  const [text, setText] = useState(prepared);
  const [sent, setSent] = useState(prepared);
  const [fields] = useState(() => listInputFields(method));
  const [described] = useState(() => listFields(schema));
  const [view, setView] = useState<'form' | 'json'>(fields === null ? 'json' : 'form');
  const [isFormValid, setFormValid] = useState(true);
  const close = useGuardedClose(() => text !== prepared && text !== sent, onClose);
  const input = parseJsonObject(text);
  const canSend = input !== undefined && isFormValid;
  const call = useMutation({
    mutationFn: (value: Record<string, unknown>) =>
      client.tools.invoke(tool.id, method.name, { input: value }, { timeoutMs: 0 }),
  });
  const send = () => {
    if (!canSend) return;
    setSent(text);
    call.mutate(input);
  };
  const request = {
    baseUrl: window.location.origin,
    toolId: tool.id,
    method: method.name,
    input: input ?? {},
  };
  return (
    <Drawer open onClose={close} size={640} title={t('toolPages.tryNamed', { name: method.name })}>
      <div className="stack">
        {method.description !== '' && <p className="muted">{method.description}</p>}
        {method.acts && <Alert type="warning" showIcon title={t('toolPages.actsWarning')} />}
        {fields !== null && (
          <Segmented<'form' | 'json'>
            size="small"
            aria-label={t('toolPages.inputView')}
            value={view}
            onChange={(next) => {
              setView(next);
              // A text that is not valid is lost with its field.
              setFormValid(true);
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
              setFormValid(isValid);
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
        <div className="row wrap">
          <Button
            type="primary"
            icon={<PlayCircleOutlined aria-hidden />}
            disabled={!canSend}
            loading={call.isPending}
            onClick={send}
          >
            {t('toolPages.call')}
          </Button>
          {canSend && (
            <CopyCode
              forms={{ cURL: () => formatCurl(request), fetch: () => formatFetch(request) }}
              title={(form) => t('toolPages.code', { form })}
              hint={t('toolPages.codeHint')}
            />
          )}
        </div>
      </div>
      <div className="call-result" aria-live="polite">
        {call.error !== null && <CallError error={call.error} />}
        {call.data && <CallResult result={call.data} />}
      </div>
    </Drawer>
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
      {!isValid && <p className="danger-text">{t('toolPages.notAnObject')}</p>}
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

function CallError({ error }: { error: Error }) {
  const { t } = useTranslation();
  const isToolError = error instanceof PlatformError && error.code === 'TOOL_ERROR';
  return (
    <section className="error-box" role="alert">
      <strong>{isToolError ? t('toolPages.noResponse') : t('toolPages.rejected')}</strong>
      <p>{getErrorMessage(error, t)}</p>
    </section>
  );
}

function CallResult({ result }: { result: ToolInvocation }) {
  const { t, i18n } = useTranslation();
  const { status, output, durationMs, cached, warnings, response } = result;
  return (
    <div className="stack">
      <Facts>
        <Fact name={t('toolPages.status')}>
          <span className={`badge ${status < 400 ? 'success' : 'danger'}`}>{status}</span>
        </Fact>
        <Fact name={t('toolPages.duration')}>{formatDuration(durationMs, i18n.language)}</Fact>
        {response !== null && (
          <Fact name={t('toolPages.size')}>{formatBytes(response.bytes, i18n.language)}</Fact>
        )}
        <Fact name={t('toolPages.source')}>{cached ? t('toolPages.cached') : t('toolPages.fresh')}</Fact>
      </Facts>
      {warnings.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t('toolPages.warnings')}
          description={warnings.map((warning, i) => (
            <p key={i}>{warning}</p>
          ))}
        />
      )}
      {output === null ? (
        <p className="muted">{t('toolPages.noOutput')}</p>
      ) : typeof output === 'string' ? (
        <pre className="code-block" tabIndex={0} role="group" aria-label={t('toolPages.output')}>
          {output}
        </pre>
      ) : (
        <JsonView value={output} label={t('toolPages.output')} />
      )}
      {response !== null && <Headers headers={response.headers} />}
    </div>
  );
}

function Headers({ headers }: Pick<ToolServerResponse, 'headers'>) {
  const { t } = useTranslation();
  const entries = Object.entries(headers);
  return (
    <details className="input-fields">
      <summary>{t('toolPages.headers', { count: entries.length })}</summary>
      <dl className="response-headers" aria-label={t('toolPages.headers', { count: entries.length })}>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
