import type { Interaction, KnowledgeEvidence, ToolExecution } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const TONES = { started: '', succeeded: 'success', failed: 'danger', denied: 'warning' } as const;

/** A tool call, folded; arguments and result are data and stay text. */
export function ToolCard({ tool }: { tool: ToolExecution }) {
  const { t } = useTranslation();
  return (
    <details className="fold">
      <summary>
        <span className="mono">
          {tool.tool}.{tool.method}
        </span>
        <span className={`badge ${TONES[tool.status]}`}>{t(`tool.${tool.status}`)}</span>
        {tool.durationMs !== undefined && (
          <span className="muted">{t('figures.ms', { ms: Math.round(tool.durationMs) })}</span>
        )}
      </summary>
      <h3>{t('tool.arguments')}</h3>
      <pre className="code-block">{pretty(tool.arguments)}</pre>
      <h3>{t(tool.error ? 'tool.error' : 'tool.result')}</h3>
      <pre className="code-block">{pretty(tool.error ?? tool.result)}</pre>
      {tool.truncated && <p className="muted">{t('tool.truncated')}</p>}
    </details>
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
      <ol>
        {evidence.documents.map((document) => (
          <li key={document.id}>
            <strong>{document.title}</strong> <span className="muted">{document.score.toFixed(2)}</span>
            <p className="muted">{document.snippet}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The agent's question, for reading. */
export function QuestionCard({ interaction }: { interaction: Interaction }) {
  return (
    <section className="fold question">
      <h3>{interaction.question}</h3>
      <ul>
        {interaction.options.map(({ id, label, description }) => (
          <li key={id}>
            {label}
            {description !== undefined && <span className="muted"> {description}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function pretty(value: unknown): string {
  return typeof value === 'string' || value === undefined ? (value ?? '') : JSON.stringify(value, null, 2);
}
