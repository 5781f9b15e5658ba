import type { Step } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { JsonView } from '../../ui/code/json-view.tsx';
import { allAgentsQuery } from '../agents/agents-query.ts';
import { formatEventKey } from '../events/catalog/catalog-query.ts';

/** The steps of a workflow that cannot be edited here. */
export function StepsView({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation();
  return (
    <ol className="steps">
      {steps.map((step) => (
        <li key={step.id} className="step-card step-view stack">
          <div className="row wrap">
            <strong className="mono">{step.id}</strong>
            <span className="muted">{t(`stepKinds.${step.kind}`)}</span>
            <StepTarget step={step} />
          </div>
          <StepContent step={step} />
        </li>
      ))}
    </ol>
  );
}

/** What the step calls. */
function StepTarget({ step }: { step: Step }) {
  const agents = useQuery({ ...allAgentsQuery, enabled: step.kind === 'agent' });
  switch (step.kind) {
    case 'code':
      return null;
    case 'agent':
      return (
        <Link to={paths.agent(step.agentId)}>
          {agents.data?.find(({ id }) => id === step.agentId)?.name ?? step.agentId}
        </Link>
      );
    case 'emit':
      return (
        <Link className="mono" to={`${paths.catalog}?event=${encodeURIComponent(formatEventKey(step))}`}>
          {step.event}
        </Link>
      );
    case 'tool':
      return (
        <span className="mono">
          {step.toolId}.{step.method}
        </span>
      );
  }
}

function StepContent({ step }: { step: Step }) {
  const { t } = useTranslation();
  switch (step.kind) {
    case 'code':
      return (
        <pre className="code-block" tabIndex={0} role="group" aria-label={t('steps.source')}>
          {step.source}
        </pre>
      );
    case 'agent':
      return <JsonView value={step.inputs} label={t('steps.inputs')} />;
    case 'emit':
      return <JsonView value={step.payload} label={t('eventLog.payload')} />;
    case 'tool':
      return <JsonView value={step.input} label={t('steps.input')} />;
  }
}
