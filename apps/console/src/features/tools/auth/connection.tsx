import { useQuery } from '@tanstack/react-query';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { connectionsQuery, providersQuery } from '../../connections/use-connections.ts';
import type { AuthKind } from './auth-kind.ts';

/** The choice has one field: `each:<provider>` or `shared:<connection>`. */
export const connectionAuth: AuthKind<'connection'> = {
  kind: 'connection',
  secretLabel: null,
  toValues: ({ connectionId, providerId }) => ({
    connection: connectionId ? `shared:${connectionId}` : `each:${providerId ?? ''}`,
  }),
  toAuth: ({ connection = '' }) => {
    const [whose, id = ''] = connection.split(':');
    return whose === 'shared'
      ? { type: 'connection', connectionId: id, providerId: null }
      : { type: 'connection', connectionId: null, providerId: id };
  },
  Fields,
};

function Fields() {
  const { t } = useTranslation();
  const providers = useQuery(providersQuery);
  const connections = useQuery(connectionsQuery);
  const isFailed = providers.isLoadingError || connections.isLoadingError;
  const shared = (connections.data ?? []).filter(({ owner }) => owner === null);
  return (
    <Form.Item
      name={['auth', 'connection']}
      label={t('toolPages.connection.whose')}
      extra={
        <>
          {t('toolPages.connection.hint')}{' '}
          <Link to={paths.connections()}>{t('toolPages.connection.manage')}</Link>
        </>
      }
      rules={[{ required: true, message: t('common.required') }]}
    >
      <Select
        loading={providers.isPending || connections.isPending}
        notFoundContent={t(isFailed ? 'names.notLoaded' : 'toolPages.connection.none')}
        options={[
          {
            label: t('toolPages.connection.eachGroup'),
            options: (providers.data ?? []).map(({ id, name }) => ({
              value: `each:${id}`,
              label: t('toolPages.connection.each', { name }),
            })),
          },
          {
            label: t('toolPages.connection.sharedGroup'),
            options: shared.map(({ id, name }) => ({
              value: `shared:${id}`,
              label: t('toolPages.connection.shared', { name }),
            })),
          },
        ].filter(({ options }) => options.length > 0)}
      />
    </Form.Item>
  );
}
