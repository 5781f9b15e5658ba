import { KeyOutlined } from '@ant-design/icons';
import { WEBHOOK_TYPES } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { Card } from '../../ui/layout/card.tsx';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { NewSecret } from '../../ui/code/new-secret.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { VERIFY_CODE } from './verify-code.ts';
import './webhooks.css';

/** The secret that signs the webhooks of the space, and how a receiver verifies them. */
export function WebhookSetup() {
  const { t } = useTranslation();
  const status = useQuery({ queryKey: keys.webhookSecret, queryFn: () => client.webhookSecret.get() });
  return (
    <div className="stack-cards">
      <Loaded query={status}>{({ createdAt }) => <SecretCard createdAt={createdAt} />}</Loaded>
      <Card title={t('webhooks.messages')} text={t('webhooks.messagesText')}>
        <dl className="webhook-types">
          {WEBHOOK_TYPES.map((type) => (
            <div key={type}>
              <dt className="mono">{type}</dt>
              <dd>{t(`webhooks.types.${type}`)}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card title={t('webhooks.verify')} text={t('webhooks.verifyText')}>
        <pre className="code-block" tabIndex={0} role="group" aria-label={t('webhooks.verify')}>
          {VERIFY_CODE}
        </pre>
        <div className="row wrap webhook-code-actions">
          <CopyButton text={VERIFY_CODE} label={t('webhooks.copyCode')} showLabel />
          <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
            {t('webhooks.libraries')}
          </a>
        </div>
      </Card>
    </div>
  );
}

function SecretCard({ createdAt }: { createdAt: string | null }) {
  const { t, i18n } = useTranslation();
  const { modal } = App.useApp();
  const rotate = useMutation({
    mutationFn: () => client.webhookSecret.rotate(),
    onSuccess: (created) =>
      queryClient.setQueryData(keys.webhookSecret, { configured: true, createdAt: created.createdAt }),
  });
  const confirm = () =>
    modal.confirm({
      title: t('webhooks.rotateTitle'),
      content: t('webhooks.rotateText'),
      okText: t('webhooks.rotate'),
      cancelText: t('common.cancel'),
      onOk: () => rotate.mutateAsync().catch(() => undefined),
    });
  const format = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' });
  const previousUntil = rotate.data?.previousUntil ?? null;

  return (
    <Card title={t('webhooks.secret')} text={t('webhooks.secretText')}>
      <div className="row wrap">
        <span className="grow">
          {createdAt === null ? (
            <span className="badge">{t('webhooks.missing')}</span>
          ) : (
            <>
              <span className="badge success">{t('webhooks.configured')}</span>{' '}
              <span className="muted">
                {t('webhooks.created')} <Time iso={createdAt} />
              </span>
            </>
          )}
        </span>
        <Button
          icon={<KeyOutlined aria-hidden />}
          type={createdAt === null ? 'primary' : 'default'}
          loading={rotate.isPending}
          onClick={createdAt === null ? () => rotate.mutate() : confirm}
        >
          {createdAt === null ? t('webhooks.create') : t('webhooks.rotate')}
        </Button>
      </div>
      {rotate.error !== null && (
        <p className="error-box webhook-result" role="alert">
          {getErrorMessage(rotate.error, t)}
        </p>
      )}
      {rotate.data !== undefined && (
        <div className="webhook-result" role="status">
          <NewSecret
            value={rotate.data.secret}
            label={t('webhooks.copySecret')}
            warning={t('webhooks.once')}
            place="page"
          />
          {previousUntil !== null && (
            <p className="muted">
              {t('webhooks.previousUntil', { time: format.format(new Date(previousUntil)) })}
            </p>
          )}
        </div>
      )}
    </Card>
  );
}
