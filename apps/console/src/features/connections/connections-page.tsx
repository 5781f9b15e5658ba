import { PlusOutlined } from '@ant-design/icons';
import { Button, Tabs } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useIsAdmin } from '../auth/session.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { ConnectionsList } from './connections-list.tsx';
import { ProvidersList } from './providers-list.tsx';
import { SignInOutcome } from './sign-in-outcome.tsx';
import './connections.css';

const ProviderDrawer = lazyPart(() =>
  import('./provider-drawer.tsx').then((module) => ({ default: module.ProviderDrawer })),
);

const TABS = ['providers'] as const;

/** On whose behalf tools are called. */
export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [tab, setTab] = useSearchFilter('tab', TABS);
  const [edited, edit, close] = useDrawerParam('provider');
  const add = isAdmin && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => edit('new')}>
      {t('connections.provider.add')}
    </Button>
  );
  return (
    <Page title={t('connections.title')} description={t('connections.description')} actions={add}>
      <SignInOutcome />
      {isAdmin ? (
        <Tabs
          tabBarStyle={{ marginBottom: 20 }}
          activeKey={tab ?? 'mine'}
          onChange={(key) => setTab(TABS.find((one) => one === key))}
          destroyOnHidden
          items={[
            { key: 'mine', label: t('connections.tabs.mine'), children: <ConnectionsList /> },
            {
              key: 'providers',
              label: t('connections.tabs.providers'),
              children: <ProvidersList onEdit={edit} />,
            },
          ]}
        />
      ) : (
        <ConnectionsList />
      )}
      <ConnectDialog />
      {isAdmin && edited !== undefined && (
        <Suspense>
          <ProviderDrawer key={edited} providerId={edited === 'new' ? null : edited} onClose={close} />
        </Suspense>
      )}
    </Page>
  );
}
