import type { ApplicationDetail, SystemKey } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button, Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { ErrorState } from '../../ui/layout/states.tsx';

const MAX_VALID = 2;

interface SystemKeysProps {
  application: ApplicationDetail;
  /** Receives a new key, which cannot be read again. */
  onCreated: (systemKey: string) => void;
}

/** The valid system keys of an application. A second one can be created while the first one is still in use. */
export function SystemKeys({ application: { identifier, installed }, onCreated }: SystemKeysProps) {
  const { t } = useTranslation();
  const { list, creation, revoke } = useSystemKeys(identifier, onCreated);
  if (list.error) return <ErrorState error={list.error} retry={() => void list.refetch()} />;
  const items = list.data?.items ?? [];
  const isFull = items.length >= MAX_VALID;
  return (
    <>
      {list.isSuccess && items.length === 0 && <p className="muted">{t('applications.noKeys')}</p>}
      <ul className="contents system-keys">
        {items.map((key) => (
          <li key={key.id} className="row wrap">
            <code>{key.prefix}…</code>
            <KeyTimes systemKey={key} />
            <Button
              size="small"
              type="text"
              danger
              onClick={() => revoke(key)}
              aria-label={t('apiKeys.revokeNamed', { name: key.prefix })}
            >
              {t('apiKeys.revoke')}
            </Button>
          </li>
        ))}
      </ul>
      {installed && (
        <Tooltip title={isFull ? t('applications.keysFull') : undefined}>
          <Button
            size="small"
            disabled={isFull || !list.isSuccess}
            loading={creation.isPending}
            onClick={() => creation.mutate()}
          >
            {t('applications.createKey')}
          </Button>
        </Tooltip>
      )}
    </>
  );
}

function KeyTimes({ systemKey: { createdAt, lastUsedAt, endsWithApiKey } }: { systemKey: SystemKey }) {
  const { t } = useTranslation();
  return (
    <span className="muted grow">
      {t('apiKeys.createdAt')} <Time iso={createdAt} /> ·{' '}
      {lastUsedAt === null ? (
        t('applications.neverUsed')
      ) : (
        <>
          {t('apiKeys.lastUsed')} <Time iso={lastUsedAt} />
        </>
      )}
      {endsWithApiKey !== null && <> · {t('applications.endsWithApiKey', { name: endsWithApiKey.name })}</>}
    </span>
  );
}

function useSystemKeys(identifier: string, onCreated: (systemKey: string) => void) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirmDelete = useConfirmDelete();
  const list = useQuery({
    queryKey: keys.systemKeys(identifier),
    queryFn: () => client.applications.systemKeys(identifier),
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.applications });
  const creation = useMutation({
    mutationFn: () => client.applications.createSystemKey(identifier),
    onSuccess: ({ systemKey }) => {
      onCreated(systemKey);
      return refresh();
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const revoke = ({ id, prefix }: SystemKey) =>
    confirmDelete({
      title: t('apiKeys.revokeTitle', { name: `${prefix}…` }),
      text: t('applications.revokeKeyText'),
      verb: t('apiKeys.revoke'),
      run: async () => {
        await client.applications.revokeSystemKey(identifier, id);
        await refresh();
      },
    });
  return { list, creation, revoke };
}
