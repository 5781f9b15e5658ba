import { PlusOutlined } from '@ant-design/icons';
import type { NotificationChannel } from '@platform/contracts';
import { Button, Flex, Switch, Tag } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useChannels } from './use-channels.ts';

const ChannelDrawer = lazyPart(() =>
  import('./channel-drawer.tsx').then((module) => ({ default: module.ChannelDrawer })),
);

export function ChannelsList() {
  const { t } = useTranslation();
  const [edited, edit, close] = useDrawerParam('channel');
  const channels = useChannels();
  const channel = channels.list.items.find(({ id }) => id === edited) ?? null;
  const columns = useColumns(channels, edit);
  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => edit('new')}>
      {t('notifications.create')}
    </Button>
  );
  return (
    <>
      {channels.list.items.length > 0 && <div className="toolbar">{create}</div>}
      <DataList
        label={t('notifications.channels')}
        list={channels.list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title={t('notifications.none')} text={t('notifications.noneText')}>
            {create}
          </EmptyState>
        }
      />
      {(edited === 'new' || channel !== null) && (
        <Suspense>
          <ChannelDrawer channel={channel} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function useColumns(
  { test, testing, enable, remove }: ReturnType<typeof useChannels>,
  edit: (channelId: string) => void,
): Column<NotificationChannel>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('common.name'),
      render: ({ id, name, kind }) => (
        <button type="button" className="link-button" onClick={() => edit(id)}>
          <span className="primary-link">{name}</span>
          <div className="muted">{t(`notifications.kinds.${kind}`)}</div>
        </button>
      ),
    },
    {
      key: 'events',
      title: t('notifications.events'),
      render: ({ events }) => (
        <Flex gap={4} wrap>
          {events.map((event) => (
            <Tag key={event} className="mono">
              {event}
            </Tag>
          ))}
        </Flex>
      ),
    },
    {
      key: 'enabled',
      title: t('notifications.enabled'),
      width: 90,
      render: (channel) => (
        <Switch
          checked={channel.enabled}
          aria-label={t('notifications.enableNamed', { name: channel.name })}
          onChange={(enabled) => enable(channel, enabled)}
        />
      ),
    },
    {
      key: 'actions',
      title: '',
      width: 200,
      render: (channel) => (
        <Flex gap={4} justify="end">
          <Button
            size="small"
            loading={testing === channel.id}
            aria-label={t('notifications.testNamed', { name: channel.name })}
            onClick={() => test(channel)}
          >
            {t('notifications.test')}
          </Button>
          <Button
            size="small"
            type="text"
            danger
            aria-label={t('notifications.deleteNamed', { name: channel.name })}
            onClick={() => remove(channel)}
          >
            {t('common.delete')}
          </Button>
        </Flex>
      ),
    },
  ];
}
