import { ROLES, type Member, type Role } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.members });

/** Selects the role of a member. Admins cannot change their own role, so that they do not lock themselves out. */
export function RoleField({ member, fixed }: { member: Member; fixed: boolean }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const change = useMutation({
    mutationFn: (role: Role) => client.members.update(member.user.id, { role }),
    onSuccess: refresh,
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const confirmed = useConfirmLowering(member);
  const select = async (role: Role) => {
    if (role === 'ADMIN' || (await confirmed(role))) change.mutate(role);
  };
  if (fixed) return <span className="badge plain">{t(`roles.${member.role}`)}</span>;
  return (
    <select
      className="filter-select"
      style={{ width: 130 }}
      aria-label={t('members.roleOf', { name: member.user.name })}
      aria-busy={change.isPending}
      disabled={change.isPending}
      value={change.isPending ? change.variables : member.role}
      onChange={({ target }) => {
        const role = ROLES.find((one) => one === target.value);
        if (role !== undefined) void select(role);
      }}
    >
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {t(`roles.${role}`)}
        </option>
      ))}
    </select>
  );
}

/** Returns a function that asks before tasks of the member begin to fail. If that cannot be said, it asks nothing. */
function useConfirmLowering({ user }: Member): (role: Role) => Promise<boolean> {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  return async (role) => {
    const removal = await client.members.previewRemoval(user.id).catch(() => null);
    if (removal === null || removal.adminTasks.count === 0) return true;
    const { count, names } = removal.adminTasks;
    const more = count > names.length ? [t('members.more', { number: count - names.length })] : [];
    return modal.confirm({
      title: t('members.lowerTitle', { name: user.name, role: t(`roles.${role}`) }),
      content: t('members.lowerText', { names: [...names, ...more].join(', ') }),
      okText: t('members.change'),
      cancelText: t('common.cancel'),
    });
  };
}

/** Appoints and dismisses installation administrators. Users cannot change their own status. */
export function InstallationAdminSwitch({ member, fixed }: { member: Member; fixed: boolean }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  const change = useMutation({
    mutationFn: (installationAdmin: boolean) => client.members.update(member.user.id, { installationAdmin }),
    onSuccess: refresh,
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const { name } = member.user;
  const appoint = () =>
    confirm({
      title: t('members.appointTitle', { name }),
      text: t('members.appointText'),
      verb: t('members.appoint'),
      // The mutation shows its own errors.
      run: () =>
        change.mutateAsync(true).then(
          () => undefined,
          () => undefined,
        ),
    });
  return (
    <Switch
      size="small"
      aria-label={t('members.installationAdminOf', { name })}
      checked={change.isPending ? change.variables : member.installationAdmin}
      loading={change.isPending}
      disabled={fixed}
      onChange={(checked) => (checked ? appoint() : change.mutate(false))}
    />
  );
}
