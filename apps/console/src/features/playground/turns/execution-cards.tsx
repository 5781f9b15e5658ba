import {
  CheckCircleFilled,
  CloseCircleFilled,
  LoadingOutlined,
  MinusCircleFilled,
  StopFilled,
} from '@ant-design/icons';
import type { Interaction, KnowledgeEvidence, ToolExecution } from '@platform/contracts';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { askedText } from '../../approvals/need.ts';
import { EvidenceDocuments } from '../../knowledge/evidence-documents.tsx';
import type { Answered } from './live-turn.ts';
import type { ShownToolExecution } from './stored-executions.ts';

/** Status of a tool call. A call that did not end with its turn is shown as abandoned. */
type CallState = ToolExecution['status'] | 'abandoned';

const ICONS: Record<CallState, ReactNode> = {
  started: <LoadingOutlined aria-hidden />,
  succeeded: <CheckCircleFilled aria-hidden className="success-text" />,
  failed: <CloseCircleFilled aria-hidden className="danger-text" />,
  denied: <StopFilled aria-hidden className="warning-text" />,
  abandoned: <MinusCircleFilled aria-hidden className="muted" />,
};

/** A collapsed tool call. Arguments and results are data and are shown as text. */
export function ToolCard({ tool, turnEnded }: { tool: ShownToolExecution; turnEnded: boolean }) {
  const { t, i18n } = useTranslation();
  const state: CallState = tool.status === 'started' && turnEnded ? 'abandoned' : tool.status;
  const { cached, httpStatus, warnings = [] } = tool.metadata;
  const { result, error } = tool;
  return (
    <details className="fold tool">
      <summary>
        {ICONS[state]}
        <span className="mono truncate">
          {tool.tool}.{tool.method}
        </span>
        <span className="muted facts">
          {t(`tool.${state}`)}
          {tool.durationMs !== undefined && ` · ${formatDuration(tool.durationMs, i18n.language)}`}
          {httpStatus !== undefined && ` · HTTP ${httpStatus}`}
          {cached && ` · ${t('tool.cached')}`}
        </span>
      </summary>
      {error && <p className={tool.status === 'denied' ? 'warning-text' : 'danger-text'}>{error.message}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="warning-text">
          {warning}
        </p>
      ))}
      <Data title={t('tool.arguments')} value={tool.arguments} />
      {error && <Data title={t('tool.error')} value={error} />}
      {result !== undefined && <Data title={t('tool.result')} value={result} />}
      {tool.truncated && <p className="muted">{t('tool.truncated')}</p>}
    </details>
  );
}

function Data({ title, value }: { title: string; value: unknown }) {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <pre className="code-block" tabIndex={0}>
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </figure>
  );
}

export function EvidenceCard({ evidence }: { evidence: KnowledgeEvidence }) {
  const { t } = useTranslation();
  return (
    <details className="fold">
      <summary>
        {t('evidence.title', { count: evidence.documents.length })}{' '}
        <span className="muted truncate">{evidence.query}</span>
      </summary>
      <EvidenceDocuments evidence={evidence} />
    </details>
  );
}

/** A question that can no longer be answered, with its answer if known. */
export function AskedCard({
  interaction,
  answer,
}: {
  interaction: Interaction;
  answer?: Answered['answer'];
}) {
  const { t } = useTranslation();
  return (
    <dl className="asked">
      <dt>{askedText(interaction)}</dt>
      <dd>
        {answer === undefined ? t('question.unanswered') : (answer?.join(', ') ?? t('question.answered'))}
      </dd>
    </dl>
  );
}

function formatDuration(ms: number, language: string): string {
  const [value, unit] = ms < 1_000 ? [Math.round(ms), 'millisecond'] : [ms / 1_000, 'second'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
}
