import type { KnowledgeEvidence, TraceSpan } from '@platform/contracts';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { JsonView } from '../../ui/code/json-view.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { EvidenceDocuments } from '../knowledge/evidence-documents.tsx';
import { SPAN_ICONS, SpanStatusBadge, spanName } from './waterfall.tsx';

/** A part of a turn in detail. */
export function SpanDrawer({ span, onClose }: { span: TraceSpan; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const { whole, charged } = useNumbers();
  const { kind, durationMs, firstTokenMs, token_usage: usage, cachedTokens = 0, reasoningTokens = 0 } = span;
  const format = (ms: number) => formatDuration(ms, i18n.language);
  return (
    <Drawer
      open
      size={620}
      onClose={onClose}
      title={
        <span className="row">
          {SPAN_ICONS[kind]} <span className="truncate">{spanName(span, t(`traces.kinds.${kind}`))}</span>
        </span>
      }
    >
      <div className="stack">
        <div className="row wrap">
          <SpanStatusBadge span={span} />
          <span className="muted">{t(`traces.kinds.${kind}`)}</span>
        </div>
        {span.error && (
          <section className="error-box" aria-label={t('traces.error')}>
            <strong className="mono">{span.error.code}</strong>
            <p>{span.error.message}</p>
          </section>
        )}
        <Facts>
          <Fact name={t('traces.started')}>
            <Time iso={span.startedAt} />
          </Fact>
          <Fact name={t('traces.duration')}>
            {durationMs === null ? t('traces.spanStatuses.running') : format(durationMs)}
          </Fact>
          {firstTokenMs !== undefined && <Fact name={t('traces.firstToken')}>{format(firstTokenMs)}</Fact>}
          {usage && (
            <>
              <Fact name={t('traces.inputTokens')}>
                {whole(usage.prompt_tokens)}
                {cachedTokens > 0 && (
                  <span className="muted"> · {t('traces.cached', { tokens: whole(cachedTokens) })}</span>
                )}
              </Fact>
              <Fact name={t('traces.outputTokens')}>
                {whole(usage.completion_tokens)}
                {reasoningTokens > 0 && (
                  <span className="muted">
                    {' '}
                    · {t('traces.reasoning', { tokens: whole(reasoningTokens) })}
                  </span>
                )}
              </Fact>
              <Fact name={t('traces.cost')}>{charged(usage.cost, usage.total_tokens)}</Fact>
            </>
          )}
        </Facts>
        {span.truncated && <p className="hint-warning">{t('traces.truncated')}</p>}
        {span.input !== undefined && <Value title={t('traces.input')} value={span.input} />}
        {span.output !== undefined && <Output span={span} />}
      </div>
    </Drawer>
  );
}

function Output({ span: { kind, output } }: { span: TraceSpan }) {
  const { t } = useTranslation();
  if (kind === 'search') return <EvidenceDocuments evidence={output as KnowledgeEvidence} />;
  if (kind !== 'model') return <Value title={t('traces.output')} value={output} />;
  const { text = '', toolCalls = [] } = (output ?? {}) as {
    text?: string;
    toolCalls?: { name: string; arguments: string }[];
  };
  return (
    <>
      {text !== '' && <Value title={t('traces.text')} value={text} />}
      {toolCalls.map((call, i) => (
        <Value key={i} title={t('traces.calls', { tool: call.name })} value={call.arguments} />
      ))}
      {text === '' && toolCalls.length === 0 && <p className="muted">{t('traces.noText')}</p>}
    </>
  );
}

/** Data from outside: JSON as a tree of text, everything else as plain text. */
function Value({ title, value }: { title: string; value: unknown }) {
  const shown = typeof value === 'string' ? parse(value) : value;
  return (
    <section>
      <h3 className="section-name">{title}</h3>
      {typeof shown === 'string' ? (
        <pre className="code-block wrapped" tabIndex={0} role="group" aria-label={title}>
          {shown}
        </pre>
      ) : (
        <JsonView value={shown} label={title} />
      )}
    </section>
  );
}

/** Returns the value of a text that is a JSON object or list, and any other text unchanged. */
function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
