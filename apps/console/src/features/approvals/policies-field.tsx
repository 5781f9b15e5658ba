import type { CallPolicyRequest, ToolMethod } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { PolicyField } from './policy-field.tsx';
import './approvals.css';

type Policies = Record<string, CallPolicyRequest>;

/** Stands for all methods that are not named. */
const OTHERS = '*';

interface PoliciesFieldProps {
  methods: readonly ToolMethod[];
  value: Policies | null | undefined;
  onChange: (policies: Policies) => void;
}

/** What an agent says of the calls of a tool, with what applies to each method without it. */
export function PoliciesField({ methods, value, onChange }: PoliciesFieldProps) {
  const { t } = useTranslation();
  const policies = value ?? {};
  const names = [OTHERS, ...new Set([...methods.map(({ name }) => name), ...namesOf(policies)])];
  const asked = namesOf(policies).length + (Object.hasOwn(policies, OTHERS) ? 1 : 0);
  const set = (name: string, policy: CallPolicyRequest | null) => {
    const { [name]: _, ...others } = policies;
    onChange(policy === null ? others : { ...others, [name]: policy });
  };
  return (
    <details className="fold policies">
      <summary>
        {t('approvals.policies')}
        {asked > 0 && <span className="badge plain">{t('approvals.set', { count: asked })}</span>}
      </summary>
      <p className="muted">{t('approvals.policiesText')}</p>
      <ul className="stack policy-list">
        {names.map((name) => {
          const label = name === OTHERS ? t('approvals.others') : name;
          const own = methods.find((method) => method.name === name)?.policy ?? null;
          return (
            <li key={name}>
              <span className={name === OTHERS ? '' : 'mono'}>{label}</span>
              <PolicyField
                label={label}
                value={policies[name] ?? null}
                onChange={(policy) => set(name, policy)}
                preset={
                  own === null
                    ? t('approvals.preset')
                    : t('approvals.ofMethod', { mode: t(`approvals.modes.${own.mode}`) })
                }
              />
              {own !== null && own.mode !== 'run' && <small className="muted">{t('approvals.strict')}</small>}
            </li>
          );
        })}
      </ul>
    </details>
  );
}

function namesOf(policies: Policies): string[] {
  return Object.keys(policies).filter((name) => name !== OTHERS);
}
