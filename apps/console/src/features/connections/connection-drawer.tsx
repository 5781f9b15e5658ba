import type { ConnectionDetail } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Button, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { Time } from '../../ui/format/time.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { useIsAdmin, useSession } from '../auth/session.ts';
import { ConnectionState } from './connection-state.tsx';
import { useStartSignIn } from './use-start-sign-in.ts';
import { stateOf } from './use-connections.ts';

interface ConnectionDrawerProps {
  connectionId: string;
  onClose: () => void;
}

/** One connection: what it allows, who uses it, and what revoking it would stop. */
export function ConnectionDrawer({ connectionId, onClose }: ConnectionDrawerProps) {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: keys.connection(connectionId),
    queryFn: () => client.connections.get(connectionId),
  });
  const connection = query.data;
  return (
    <Drawer
      open
      onClose={onClose}
      size={520}
      title={connection?.name ?? t('connections.title')}
      footer={connection && <Actions connection={connection} onClose={onClose} />}
    >
      <Loaded query={query}>{(loaded) => <Details connection={loaded} />}</Loaded>
    </Drawer>
  );
}

function Details({ connection }: { connection: ConnectionDetail }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const { kind, provider, owner, issuer, scopes, origins, account, reason, expiresAt, renews } = connection;
  return (
    <>
      {reason !== null && (
        <Alert
          className="sign-in-outcome"
          type="warning"
          showIcon
          title={t(`connections.reason.${reason}`)}
        />
      )}
      <Facts>
        <Fact name={t('connections.columns.status')}>
          <ConnectionState connection={connection} />
        </Fact>
        <Fact name={t('connections.provider.title')}>{provider.name}</Fact>
        <Fact name={t('connections.columns.owner')}>
          {t(`connections.owner.${owner?.id === user.id ? 'me' : 'space'}`)}
        </Fact>
        {account !== null && <Fact name={t('connections.account')}>{account}</Fact>}
        <Fact name={t('connections.kind')}>{t(`connections.kinds.${kind}`)}</Fact>
        {issuer !== null && (
          <Fact name={t('connections.issuer')}>
            <span className="mono">{issuer}</span>
          </Fact>
        )}
        {scopes.length > 0 && (
          <Fact name={t('connections.scopes')}>
            <span className="mono">{scopes.join(' ')}</span>
          </Fact>
        )}
        <Fact name={t('connections.sentTo')}>
          {origins.map((origin) => (
            <div key={origin} className="mono">
              {origin}
            </div>
          ))}
        </Fact>
        <Fact name={t('connections.expires')}>
          {renews ? (
            t('connections.renews')
          ) : expiresAt === null ? (
            t('connections.noExpiry')
          ) : (
            <Time iso={expiresAt} />
          )}
        </Fact>
        <Fact name={t('connections.columns.lastUsed')}>
          {connection.lastUsedAt === null ? t('connections.never') : <Time iso={connection.lastUsedAt} />}
        </Fact>
        <Fact name={t('connections.usedBy')}>
          {connection.tools.length === 0 ? (
            <span className="muted">{t('connections.noTools')}</span>
          ) : (
            connection.tools.map(({ id, name }) => (
              <div key={id}>
                <Link to={paths.tool(id)}>{name}</Link>
              </div>
            ))
          )}
        </Fact>
      </Facts>
    </>
  );
}

function Actions({ connection, onClose }: { connection: ConnectionDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const isAdmin = useIsAdmin();
  const confirmDelete = useConfirmDelete();
  const signIn = useStartSignIn();
  const { id, name, kind, owner, provider, tools } = connection;
  const test = useMutation({
    mutationFn: () => client.connections.test(id),
    onSuccess: async ({ usable, message: text }) => {
      await queryClient.invalidateQueries({ queryKey: keys.connections });
      void (usable ? message.success(text) : message.warning(text));
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  if (owner === null && !isAdmin) return null;
  const stops =
    tools.length === 0
      ? ''
      : ` ${t('connections.revokeStops', { count: tools.length, names: tools.map((tool) => tool.name).join(', ') })}`;
  const revoke = () =>
    confirmDelete({
      title: t('connections.revokeTitle', { name }),
      text: `${t('connections.revokeText')}${stops}`,
      verb: t('connections.revoke'),
      run: async () => {
        await client.connections.revoke(id);
        onClose();
        void message.success(t('connections.revoked', { name }));
        queryClient.removeQueries({ queryKey: keys.connection(id) });
        await queryClient.invalidateQueries({ queryKey: keys.connections });
      },
    });
  const again = () =>
    signIn.mutate({
      providerId: provider.id,
      owner: owner === null ? 'space' : 'me',
      ...(owner === null && { connectionId: id }),
    });
  return (
    <div className="row" style={{ justifyContent: 'flex-end' }}>
      <Button danger type="text" onClick={revoke} aria-label={t('connections.revokeNamed', { name })}>
        {t('connections.revoke')}
      </Button>
      <Button loading={test.isPending} onClick={() => test.mutate()}>
        {t('connections.test')}
      </Button>
      {kind === 'oauth2-code' && (
        <Button
          type={stateOf(connection) === 'ACTIVE' ? 'default' : 'primary'}
          loading={signIn.isPending || signIn.isSuccess}
          onClick={again}
        >
          {t('connections.signInAgain')}
        </Button>
      )}
    </div>
  );
}
