import { Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/layout/page.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { ChannelsList } from './channels-list.tsx';
import { DeliveriesList } from './deliveries-list.tsx';
import { PlatformEvents } from './platform-events.tsx';

const TABS = ['channels', 'deliveries', 'events'] as const;

/** What the space is told, and over which channels. */
export function Component() {
  const { t } = useTranslation();
  const [tab = 'channels', setTab] = useSearchFilter('tab', TABS);
  return (
    <Page title={t('notifications.title')} description={t('notifications.description')}>
      <Tabs
        tabBarStyle={{ marginBottom: 20 }}
        activeKey={tab}
        onChange={(key) => setTab(TABS.find((one) => one === key))}
        destroyOnHidden
        items={[
          { key: 'channels', label: t('notifications.channels'), children: <ChannelsList /> },
          { key: 'deliveries', label: t('notifications.deliveries'), children: <DeliveriesList /> },
          { key: 'events', label: t('notifications.platform.tab'), children: <PlatformEvents /> },
        ]}
      />
    </Page>
  );
}
