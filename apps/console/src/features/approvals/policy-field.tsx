import { APPROVER_GROUPS, CALL_MODES, type CallMode, type CallPolicyRequest } from '@platform/contracts';
import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useSession } from '../auth/session.ts';
import { PersonSelect } from '../members/person-select.tsx';

type Approvers = NonNullable<CallPolicyRequest['approvers']>;
type Group = (typeof APPROVER_GROUPS)[number] | 'people';

interface PolicyFieldProps {
  /** Set by the form around it. */
  id?: string;
  value?: CallPolicyRequest | null;
  onChange?: (policy: CallPolicyRequest | null) => void;
  /** What applies without a policy. */
  preset: string;
  /** What the policy is of, for those who do not see it. */
  label: string;
}

/** Whether a person approves calls first, and who. */
export function PolicyField({ id, value = null, onChange, preset, label }: PolicyFieldProps) {
  const { t } = useTranslation();
  const approvers = value?.approvers ?? 'requester';
  const asks = value?.mode === 'ask' || value?.mode === 'ask-once-per-session';
  const set = (mode: CallMode | 'preset', next: Approvers = approvers) =>
    onChange?.(mode === 'preset' ? null : { mode, approvers: next });
  return (
    <div className="policy-field">
      <Select<CallMode | 'preset'>
        {...(id !== undefined && { id })}
        aria-label={label}
        value={value?.mode ?? 'preset'}
        onChange={(mode) => set(mode)}
        options={[
          { value: 'preset', label: preset },
          ...CALL_MODES.map((mode) => ({ value: mode, label: t(`approvals.modes.${mode}`) })),
        ]}
      />
      {value !== null && asks && (
        <ApproversField label={label} value={approvers} onChange={(next) => set(value.mode, next)} />
      )}
    </div>
  );
}

interface ApproversFieldProps {
  label: string;
  value: Approvers;
  onChange: (approvers: Approvers) => void;
}

function ApproversField({ label, value, onChange }: ApproversFieldProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  const named = typeof value === 'object' ? value.userIds : null;
  return (
    <>
      <Select<Group>
        aria-label={t('approvals.approversOf', { name: label })}
        value={typeof value === 'object' ? 'people' : value}
        onChange={(group) => onChange(group === 'people' ? { userIds: [user.id] } : group)}
        options={[...APPROVER_GROUPS, 'people' as const].map((group) => ({
          value: group,
          label: t(`approvals.by.${group}`),
        }))}
      />
      {named !== null && (
        <PersonSelect
          multiple
          aria-label={t('approvals.peopleOf', { name: label })}
          value={named}
          // The service refuses an empty list.
          onChange={(userIds: string[]) => userIds.length > 0 && onChange({ userIds })}
        />
      )}
    </>
  );
}
