import type { ReceivedInvitation, SpaceSummary } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient, reloadSession, switchSpace } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { invitationsQuery } from './invitations-query.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.receivedInvitations });

/** The pending invitations of the user, and what became of the last one. */
export function InvitationNotices() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const change = useMutation({
    mutationFn: switchSpace,
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const [joined, setJoined] = useState<SpaceSummary | null>(null);
  const invitations = useQuery(invitationsQuery);
  const items = invitations.data?.items ?? [];
  if (items.length === 0 && joined === null) return null;

  return (
    <section className="invitations-banner" aria-label={t('invitations.title')}>
      {joined && (
        <Alert
          type="success"
          showIcon
          role="status"
          title={t('invitations.joined', { space: joined.name })}
          closable={{ onClose: () => setJoined(null) }}
          action={
            <Button
              size="small"
              type="primary"
              loading={change.isPending}
              onClick={() => change.mutate(joined.id)}
            >
              {t('invitations.open', { space: joined.name })}
            </Button>
          }
        />
      )}
      {items.map((invitation) => (
        <InvitationNotice key={invitation.id} invitation={invitation} onJoined={setJoined} />
      ))}
      {invitations.data?.nextCursor != null && <p className="muted">{t('invitations.more')}</p>}
    </section>
  );
}

interface NoticeProps {
  invitation: ReceivedInvitation;
  onJoined: (space: SpaceSummary) => void;
}

function InvitationNotice({ invitation, onJoined }: NoticeProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  const { id, role, invitedBy } = invitation;
  const space = invitation.space.name;

  const accept = useMutation({
    mutationFn: () => client.auth.acceptInvitation(id),
    onSuccess: async (joined) => {
      onJoined(joined);
      await Promise.all([reloadSession(), refresh()]);
    },
    onError: (error) => {
      void message.error(getErrorMessage(error, t));
      void refresh();
    },
  });
  const decline = () =>
    confirm({
      title: t('invitations.declineTitle', { space }),
      text: t('invitations.declineText'),
      verb: t('invitations.decline'),
      run: async () => {
        try {
          await client.auth.declineInvitation(id);
        } finally {
          await refresh();
        }
      },
    });

  return (
    <Alert
      type="info"
      showIcon
      role="status"
      title={t(`invitations.text_${role}`, { name: invitedBy.name, email: invitedBy.email, space })}
      action={
        <span className="row">
          <Button
            size="small"
            type="primary"
            loading={accept.isPending}
            onClick={() => accept.mutate()}
            aria-label={t('invitations.acceptNamed', { space })}
          >
            {t('invitations.accept')}
          </Button>
          <Button size="small" onClick={decline} aria-label={t('invitations.declineNamed', { space })}>
            {t('invitations.decline')}
          </Button>
        </span>
      }
    />
  );
}
