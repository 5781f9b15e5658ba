import type { TaskStepChange } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { DiffLines } from '../../../ui/diff/diff-lines.tsx';
import { diffLines, skipUnchanged } from '../../../ui/diff/line-diff.ts';

const BADGES = { added: 'success', removed: 'danger', changed: 'warning', moved: 'plain' } as const;

/** The steps that differ between two versions of a task, field by field. */
export function StepChanges({ steps, none }: { steps: TaskStepChange[]; none: string }) {
  const { t } = useTranslation();
  if (steps.length === 0) return <p className="muted">{none}</p>;
  return (
    <ul className="version-changes">
      {steps.map(({ id, change, isMoved, fields }) => (
        <li key={id}>
          <h3>
            <span className="mono">{id}</span>{' '}
            <span className={`badge ${BADGES[change]}`}>{t(`taskVersions.changes.${change}`)}</span>{' '}
            {isMoved && change !== 'moved' && (
              <span className="badge plain">{t('taskVersions.changes.moved')}</span>
            )}
          </h3>
          {fields.map((values) => (
            <div key={values.field} className="field-change">
              <span className="mono muted">{values.field}</span>
              <DiffLines
                label={`${id} ${values.field}`}
                lines={skipUnchanged(diffLines(toLines(values.before), toLines(values.after)))}
              />
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** A value that is absent has no lines. */
function toLines(value: unknown): string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n');
}
