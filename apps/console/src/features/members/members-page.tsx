import { PlusOutlined } from '@ant-design/icons';
import { ROLES, type Member, type Role } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Switch } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { Avatar } from '../../ui/layout/avatar.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useList } from '../../ui/lists/use-list.ts';
import { useIsAdmin, useSession } from '../auth/session.ts';
import './members.css';
import { PendingInvitations } from './pending-invitations.tsx';

const AddMemberDialog = lazy(() =>
  import('./add-member-dialog.tsx').then((module) => ({ default: module.AddMemberDialog })),
);

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.members });

export function Component() {
  const { t } = useTranslation();
  const { user, space, installationAdmin } = useSession();
  const isAdmin = useIsAdmin();
  const confirmDelete = useConfirmDelete();
  const [adding, setAdding] = useState(false);
  const list = useList<Member>(keys.members, (page) => client.members.list(page));

  const remove = (member: Member) =>
    confirmDelete({
      title: t('members.removeTitle', { name: member.user.name, space: space.name }),
      text: t('members.removeText'),
      verb: t('members.remove'),
      run: async () => {
        await client.members.remove(member.user.id);
        await refresh();
      },
    });

  const mayAppoint = isAdmin && installationAdmin;
  const columns: Column<Member>[] = [
    {
      key: 'name',
      title: t('members.member'),
      sortBy: ({ user: { name } }) => name,
      render: (member) => (
        <span className="row">
          <Avatar name={member.user.name} />
          <span className="grow">
            <span className="primary-link">{member.user.name}</span>
            {member.user.id === user.id && <span className="muted"> ({t('common.you')})</span>}
            {member.installationAdmin && !mayAppoint && (
              <span className="badge plain" title={t('members.installationAdminHint')}>
                {t('members.installationAdmin')}
              </span>
            )}
            <div className="muted truncate">{member.user.email}</div>
          </span>
        </span>
      ),
    },
    {
      key: 'role',
      title: t('members.role'),
      width: 170,
      sortBy: ({ role }) => ROLES.indexOf(role),
      render: (member) => <RoleField member={member} fixed={!isAdmin || member.user.id === user.id} />,
    },
    ...(mayAppoint
      ? [
          {
            key: 'installation-admin',
            title: t('members.installationAdmin'),
            width: 160,
            render: (member: Member) => (
              <InstallationAdminSwitch member={member} fixed={member.user.id === user.id} />
            ),
          },
        ]
      : []),
    {
      key: 'since',
      title: t('members.since'),
      width: 150,
      sortBy: ({ createdAt }) => createdAt,
      descendingFirst: true,
      render: (member) => <Time iso={member.createdAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 120,
      render: (member) =>
        isAdmin &&
        member.user.id !== user.id && (
          <Button
            size="small"
            type="text"
            danger
            onClick={() => remove(member)}
            aria-label={t('members.removeNamed', { name: member.user.name })}
          >
            {t('members.remove')}
          </Button>
        ),
    },
  ];

  return (
    <Page
      title={t('members.title')}
      description={t('members.description', { space: space.name })}
      actions={
        isAdmin && (
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding(true)}>
            {t(installationAdmin ? 'members.add' : 'members.invite')}
          </Button>
        )
      }
    >
      <DataList
        label={t('members.title')}
        list={list}
        columns={columns}
        rowKey={(member) => member.user.id}
        empty={<EmptyState title={t('members.none')} />}
      />
      {isAdmin && <PendingInvitations />}
      {adding && (
        <Suspense>
          <AddMemberDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Page>
  );
}

/** Selects the role of a member. Admins cannot change their own role, so that they do not lock themselves out. */
function RoleField({ member, fixed }: { member: Member; fixed: boolean }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const change = useMutation({
    mutationFn: (role: Role) => client.members.update(member.user.id, { role }),
    onSuccess: refresh,
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
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
        if (role !== undefined) change.mutate(role);
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

/** Appoints and dismisses installation administrators. Users cannot change their own status. */
function InstallationAdminSwitch({ member, fixed }: { member: Member; fixed: boolean }) {
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
