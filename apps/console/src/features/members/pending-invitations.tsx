import type { Invitation } from '@platform/contracts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useList } from '../../ui/lists/use-list.ts';

/** The pending invitations of the space. Only for admins. */
export function PendingInvitations() {
  const { t } = useTranslation();
  const confirmDelete = useConfirmDelete();
  const list = useList<Invitation>(keys.invitations, (page) => client.invitations.list(page));
  if (list.loading || (list.error === null && list.items.length === 0)) return null;

  const withdraw = (invitation: Invitation) =>
    confirmDelete({
      title: t('members.withdrawTitle', { email: invitation.email }),
      text: t('members.withdrawText'),
      verb: t('members.withdraw'),
      run: async () => {
        await client.invitations.withdraw(invitation.id);
        await queryClient.invalidateQueries({ queryKey: keys.invitations });
      },
    });

  const columns: Column<Invitation>[] = [
    {
      key: 'email',
      title: t('members.email'),
      render: ({ email, invitedBy }) => (
        <>
          <span className="primary-link">{email}</span>
          <div className="muted">{t('members.invitedBy', { name: invitedBy.name })}</div>
        </>
      ),
    },
    {
      key: 'role',
      title: t('members.role'),
      width: 170,
      render: ({ role }) => <span className="badge plain">{t(`roles.${role}`)}</span>,
    },
    {
      key: 'since',
      title: t('members.invitedAt'),
      width: 150,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 120,
      render: (invitation) => (
        <Button
          size="small"
          type="text"
          danger
          onClick={() => withdraw(invitation)}
          aria-label={t('members.withdrawNamed', { email: invitation.email })}
        >
          {t('members.withdraw')}
        </Button>
      ),
    },
  ];

  return (
    <section className="invitations" aria-labelledby="invitations">
      <h2 id="invitations">{t('members.pending')}</h2>
      <DataList
        label={t('members.pending')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={null}
      />
    </section>
  );
}
