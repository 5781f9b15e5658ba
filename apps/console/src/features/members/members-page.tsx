import { PlusOutlined } from '@ant-design/icons';
import type { Member } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Avatar } from '../../ui/layout/avatar.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { ListSearch, useListQuery } from '../../ui/lists/list-search.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useIsAdmin, useSession } from '../auth/session.ts';
import './members.css';
import { InstallationAdminSwitch, RoleField } from './member-rights.tsx';
import { PendingInvitations } from './pending-invitations.tsx';

const AddMemberDialog = lazyPart(() =>
  import('./add-member-dialog.tsx').then((module) => ({ default: module.AddMemberDialog })),
);

const RemoveMemberDialog = lazyPart(() =>
  import('./remove-member-dialog.tsx').then((module) => ({ default: module.RemoveMemberDialog })),
);

const SORTS = ['name', '-name', 'createdAt', '-createdAt'] as const;

export function Component() {
  const { t } = useTranslation();
  const { space, installationAdmin } = useSession();
  const isAdmin = useIsAdmin();
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Member | null>(null);
  const { field, text, sort } = useListQuery(SORTS);
  const query = { text, sort };
  const list = useList<Member>([...keys.members, query], (page) =>
    client.members.list({ ...page, ...query }),
  );

  const columns = useMemberColumns(setRemoved);

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
      <div className="toolbar">
        <ListSearch label={t('members.search')} {...field} />
      </div>
      <DataList
        label={t('members.title')}
        list={list}
        columns={columns}
        rowKey={(member) => member.user.id}
        empty={<EmptyState title={t(text === undefined ? 'members.none' : 'members.noMatch')} />}
      />
      {isAdmin && <PendingInvitations />}
      {removed && (
        <Suspense>
          <RemoveMemberDialog member={removed} onClose={() => setRemoved(null)} />
        </Suspense>
      )}
      {adding && (
        <Suspense>
          <AddMemberDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Page>
  );
}

function useMemberColumns(remove: (member: Member) => void): Column<Member>[] {
  const { t } = useTranslation();
  const { user, installationAdmin } = useSession();
  const isAdmin = useIsAdmin();
  const mayAppoint = isAdmin && installationAdmin;
  return [
    {
      key: 'name',
      title: t('members.member'),
      sortBy: 'service',
      render: (member) => <MemberName member={member} mayAppoint={mayAppoint} />,
    },
    {
      key: 'role',
      title: t('members.role'),
      width: 170,
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
      key: 'createdAt',
      title: t('members.since'),
      width: 150,
      sortBy: 'service',
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
}

function MemberName({ member, mayAppoint }: { member: Member; mayAppoint: boolean }) {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
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
  );
}
