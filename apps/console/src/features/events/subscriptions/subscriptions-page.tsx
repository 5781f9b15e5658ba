import { PlusOutlined } from '@ant-design/icons';
import type { Subscription } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button, Switch } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { lazyPart } from '../../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../../ui/lists/data-list.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { EmptyState } from '../../../ui/layout/states.tsx';
import { useSearchFilter } from '../../../ui/url/use-search-filter.ts';
import { SampleShopOffer } from '../../applications/sample-shop-offer.tsx';
import { useIsAdmin } from '../../auth/session.ts';
import { catalogQuery, listEventOptions } from '../catalog/catalog-query.ts';
import '../events.css';
import { FilterText } from '../filter/filter-text.tsx';
import { useSubscriptions } from './use-subscriptions.ts';

const SubscriptionDrawer = lazyPart(() =>
  import('./subscription-drawer.tsx').then((module) => ({ default: module.SubscriptionDrawer })),
);

export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [search, setSearch] = useSearchParams();
  const [eventKey, setEventKey] = useSearchFilter('event');
  const catalog = useQuery(catalogQuery);
  const { list, remove } = useSubscriptions(eventKey);
  const edited = search.get('subscription');

  const open = (id: string | null) =>
    setSearch((before) => {
      if (id === null) for (const name of ['subscription', 'for']) before.delete(name);
      else before.set('subscription', id);
      return before;
    });

  const columns = useSubscriptionColumns(open, remove);

  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => open('new')}>
      {t('subscriptions.create')}
    </Button>
  );

  return (
    <Page
      title={t('subscriptions.title')}
      description={t('subscriptions.description')}
      actions={isAdmin && create}
    >
      <div className="toolbar">
        <FilterSelect
          label={t('subscriptions.event')}
          any={t('subscriptions.anyEvent')}
          value={eventKey}
          onChange={setEventKey}
          options={listEventOptions(catalog.data).flatMap(({ label, options }) =>
            options.map((option) => ({ value: option.value, label: `${option.label} · ${label}` })),
          )}
          loading={catalog.isPending}
          width={280}
        />
      </div>
      <DataList
        label={t('subscriptions.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={t(eventKey === undefined ? 'subscriptions.none' : 'subscriptions.noMatch')}
            text={t('subscriptions.noneText')}
          >
            {isAdmin && create}
            {eventKey === undefined && <SampleShopOffer />}
          </EmptyState>
        }
      />
      {edited !== null && isAdmin && (
        <Suspense>
          <SubscriptionDrawer
            key={edited}
            subscriptionId={edited === 'new' ? null : edited}
            eventKey={search.get('for') ?? eventKey}
            onClose={() => open(null)}
          />
        </Suspense>
      )}
    </Page>
  );
}

function useSubscriptionColumns(
  open: (id: string) => void,
  remove: (subscription: Subscription) => void,
): Column<Subscription>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'event',
      title: t('subscriptions.event'),
      sortBy: ({ event }) => event,
      render: (subscription) => (
        <>
          <button
            type="button"
            className="link-button primary-link mono"
            onClick={() => open(subscription.id)}
          >
            {subscription.event}
          </button>
          <div className="row wrap muted">
            {subscription.applicationIdentifier}
            {subscription.waitingForApplication && (
              <span className="badge warning" title={t('subscriptions.waitingHint')}>
                {t('subscriptions.waiting')}
              </span>
            )}
          </div>
        </>
      ),
    },
    {
      key: 'filter',
      title: t('subscriptions.filter'),
      width: '28%',
      render: ({ filter: stored }) => <FilterText filter={stored} />,
    },
    {
      key: 'task',
      title: t('subscriptions.task'),
      sortBy: ({ taskName }) => taskName,
      width: '20%',
      render: ({ taskId, taskName }) => <Link to={paths.task(taskId)}>{taskName}</Link>,
    },
    {
      key: 'origin',
      title: t('subscriptions.origin'),
      width: 130,
      sortBy: ({ origin }) => t(`subscriptions.origins.${origin}`),
      render: ({ origin }) => <span className="badge plain">{t(`subscriptions.origins.${origin}`)}</span>,
    },
    {
      key: 'enabled',
      title: t('subscriptions.enabled'),
      width: 110,
      sortBy: ({ enabled }) => enabled,
      descendingFirst: true,
      render: (subscription) => <EnabledSwitch subscription={subscription} />,
    },
    {
      key: 'actions',
      title: '',
      width: 100,
      render: (subscription) => (
        <Button
          size="small"
          type="text"
          danger
          onClick={() => remove(subscription)}
          aria-label={t('subscriptions.deleteNamed', {
            event: subscription.event,
            task: subscription.taskName,
          })}
        >
          {t('common.delete')}
        </Button>
      ),
    },
  ];
}

function EnabledSwitch({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { id, enabled, event, taskName } = subscription;
  const toggle = useMutation({
    mutationFn: (next: boolean) => client.events.updateSubscription(id, { enabled: next }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.subscriptions }),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  return (
    <Switch
      size="small"
      checked={toggle.isPending ? toggle.variables : enabled}
      loading={toggle.isPending}
      onChange={(next) => toggle.mutate(next)}
      aria-label={t('subscriptions.enabledNamed', { event, task: taskName })}
    />
  );
}
