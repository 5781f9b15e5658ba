import type { Step } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { STEP_KINDS } from './step-kinds.ts';

/** The steps of a workflow that cannot be edited here. */
export function StepsView({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation();
  return (
    <ol className="steps">
      {steps.map((step) => {
        const kind = STEP_KINDS[step.kind];
        return (
          <li key={step.id} className="step-card step-view stack">
            <div className="row wrap">
              <strong className="mono">{step.id}</strong>
              <span className="muted">{t(`stepKinds.${step.kind}`)}</span>
              {step.name && <span>{step.name}</span>}
              <kind.Target step={step} />
            </div>
            {step.when && (
              <span className="muted">
                {t('steps.when')}: <code>{step.when}</code>
              </span>
            )}
            <kind.Content step={step} StepsView={StepsView} />
          </li>
        );
      })}
    </ol>
  );
}
