import { SendOutlined } from '@ant-design/icons';
import { Button, Tabs } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookSetup } from './webhook-setup.tsx';

const TABS = ['setup', 'deliveries'] as const;
const TestDialog = lazyPart(() =>
  import('./test-dialog.tsx').then((module) => ({ default: module.TestDialog })),
);

/** How the webhooks of jobs are signed, and what was sent to them. */
export function Component() {
  const { t } = useTranslation();
  const [tab = 'setup', setTab] = useSearchFilter('tab', TABS);
  const [testing, setTesting] = useState(false);
  const test = (
    <Button icon={<SendOutlined aria-hidden />} onClick={() => setTesting(true)}>
      {t('webhooks.test.open')}
    </Button>
  );
  return (
    <Page title={t('webhooks.title')} description={t('webhooks.description')} actions={test}>
      <Tabs
        tabBarStyle={{ marginBottom: 20 }}
        activeKey={tab}
        onChange={(key) => setTab(TABS.find((one) => one === key))}
        items={[
          // Stays while another tab is shown, with a new secret.
          { key: 'setup', label: t('webhooks.setup'), children: <WebhookSetup /> },
          {
            key: 'deliveries',
            label: t('webhooks.deliveries'),
            destroyOnHidden: true,
            children: <WebhookDeliveries />,
          },
        ]}
      />
      {testing && (
        <Suspense>
          <TestDialog onClose={() => setTesting(false)} />
        </Suspense>
      )}
    </Page>
  );
}
