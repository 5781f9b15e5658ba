import { PlatformError } from '@platform/client';
import type { ToolInvocation, ToolServerResponse } from '@platform/contracts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { JsonView } from '../../../ui/code/json-view.tsx';
import { formatBytes } from '../../../ui/format/bytes.ts';
import { formatDuration } from '../../../ui/format/duration.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';

export function CallError({ error }: { error: Error }) {
  const { t } = useTranslation();
  const isToolError = error instanceof PlatformError && error.code === 'TOOL_ERROR';
  return (
    <section className="error-box" role="alert">
      <strong>{isToolError ? t('toolPages.noResponse') : t('toolPages.rejected')}</strong>
      <p>{getErrorMessage(error, t)}</p>
    </section>
  );
}

export function CallResult({ result }: { result: ToolInvocation }) {
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
