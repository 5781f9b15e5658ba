import type { ConnectionOwner, ConnectionProvider, ConnectionProviderKind } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Form, Input, Modal, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { EmptyState, Loaded } from '../../ui/layout/states.tsx';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useIsAdmin, useSession } from '../auth/session.ts';
import { tellConnected } from './connected-elsewhere.ts';
import { canPersonConnect, connectionsQuery, providersQuery } from './use-connections.ts';
import { useStartSignIn } from './use-start-sign-in.ts';

interface DialogProps {
  provider: ConnectionProvider;
  owner: ConnectionOwner;
  onClose: () => void;
}

/** Connects the user (`?connect=`) or the space (`?share=`) with a provider, whose id is in the address. */
export function ConnectDialog() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [own, , closeOwn] = useDrawerParam('connect');
  const [shared, , closeShared] = useDrawerParam('share');
  const providers = useQuery(providersQuery);
  const id = own ?? shared;
  const owner = own === undefined ? 'space' : 'me';
  const onClose = own === undefined ? closeShared : closeOwn;
  if (id === undefined || (owner === 'space' && !isAdmin)) return null;
  const provider = providers.data?.find((one) => one.id === id);
  if (provider === undefined)
    return (
      <Modal open title={t('connections.title')} footer={null} onCancel={onClose} width={460}>
        <Loaded query={providers}>
          {() => <EmptyState title={t('states.notFound')} text={t('connections.noProvider')} />}
        </Loaded>
      </Modal>
    );
  const props = { provider, owner, onClose } as const;
  return provider.kind === 'oauth2' ? <SignInDialog {...props} /> : <SecretDialog {...props} />;
}

function useTitle({ id, name }: ConnectionProvider, owner: ConnectionOwner): string {
  const { t } = useTranslation();
  const { user } = useSession();
  const connections = useQuery(connectionsQuery).data ?? [];
  const isKnown = connections.some((one) => one.provider.id === id && one.owner?.id === user.id);
  if (owner === 'space') return t('connections.connectSpaceTo', { name });
  return t(isKnown ? 'connections.connectAgain' : 'connections.connectTo', { name });
}

/** Says what a person agrees to before they leave for the provider. */
function SignInDialog({ provider, owner, onClose }: DialogProps) {
  const { t } = useTranslation();
  const title = useTitle(provider, owner);
  const signIn = useStartSignIn();
  const canSignIn = canPersonConnect(provider);
  const [how, setHow] = useState<'account' | 'platform'>(canSignIn ? 'account' : 'platform');
  const { id, name } = provider;
  if (how === 'platform')
    return (
      <DialogForm
        title={title}
        submitText={t('connections.connect')}
        fields={['name']}
        initialValues={{ name }}
        save={({ name: text }: { name: string }) =>
          client.connections.create({ providerId: id, owner: 'space', name: text })
        }
        onSaved={async () => {
          tellConnected();
          await queryClient.invalidateQueries({ queryKey: keys.connections });
          onClose();
        }}
        onClose={onClose}
      >
        {canSignIn && <How value={how} onChange={setHow} />}
        <Consent provider={provider} owner={owner} />
        <NameField />
      </DialogForm>
    );
  return (
    <Modal
      open
      title={title}
      okText={t('connections.continue', { name })}
      cancelText={t('common.cancel')}
      confirmLoading={signIn.isPending || signIn.isSuccess}
      onOk={() => signIn.mutate({ providerId: id, owner })}
      onCancel={onClose}
      width={460}
    >
      {owner === 'space' && <How value={how} onChange={setHow} />}
      <Consent provider={provider} owner={owner} />
      <p className="muted">{t('connections.signInNext', { name })}</p>
    </Modal>
  );
}

interface HowProps {
  value: 'account' | 'platform';
  onChange: (value: 'account' | 'platform') => void;
}

function How({ value, onChange }: HowProps) {
  const { t } = useTranslation();
  return (
    <Radio.Group
      className="connect-how"
      aria-label={t('connections.how')}
      value={value}
      onChange={({ target }) => onChange(target.value as HowProps['value'])}
      options={[
        { value: 'account', label: t('connections.asAccount') },
        { value: 'platform', label: t('connections.asPlatform') },
      ]}
    />
  );
}

/** For what a person gives a key, a token, or a password. */
function SecretDialog({ provider, owner, onClose }: DialogProps) {
  const { t } = useTranslation();
  const title = useTitle(provider, owner);
  const { id, name, kind } = provider;
  return (
    <DialogForm
      title={title}
      submitText={t('connections.connect')}
      fields={['name', 'username', 'secret']}
      initialValues={{ name }}
      save={(values: { name: string; username?: string; secret: string }) =>
        client.connections.create({ ...values, providerId: id, owner })
      }
      onSaved={async () => {
        tellConnected();
        await queryClient.invalidateQueries({ queryKey: keys.connections });
        onClose();
      }}
      onClose={onClose}
    >
      <Consent provider={provider} owner={owner} />
      {owner === 'space' && <NameField />}
      {kind === 'basic' && (
        <Form.Item
          name="username"
          label={t('connections.username')}
          rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        >
          <Input className="mono" autoComplete="off" />
        </Form.Item>
      )}
      <Form.Item
        name="secret"
        label={t(`connections.secrets.${kind as Exclude<ConnectionProviderKind, 'oauth2'>}`)}
        extra={t('connections.secretHint')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <Input.Password className="mono" autoComplete="new-password" />
      </Form.Item>
    </DialogForm>
  );
}

function NameField() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="name"
      label={t('common.name')}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
    >
      <Input maxLength={120} />
    </Form.Item>
  );
}

function Consent({ provider: { name, origins, oauth }, owner }: Omit<DialogProps, 'onClose'>) {
  const { t } = useTranslation();
  return (
    <div className="connect-consent">
      <p>{t(owner === 'me' ? 'connections.consent' : 'connections.consentSpace')}</p>
      <ul>
        {origins.map((origin) => (
          <li key={origin} className="mono">
            {origin}
          </li>
        ))}
      </ul>
      {oauth !== null && (
        <p>
          {t('connections.scopes')}:{' '}
          {oauth.scopes.length > 0 ? (
            <span className="mono">{oauth.scopes.join(' ')}</span>
          ) : (
            t('connections.noScopes', { name })
          )}
        </p>
      )}
    </div>
  );
}
