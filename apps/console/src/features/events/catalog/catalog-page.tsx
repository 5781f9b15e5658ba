import { SendOutlined } from '@ant-design/icons';
import type { CatalogApplication, CatalogEvent } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { paths } from '../../../paths.ts';
import { Page } from '../../../ui/layout/page.tsx';
import { EmptyState, ErrorState } from '../../../ui/layout/states.tsx';
import { useSearchFilter } from '../../../ui/url/use-search-filter.ts';
import { SearchField } from '../../../ui/lists/search-field.tsx';
import { SampleShopOffer } from '../../applications/sample-shop-offer.tsx';
import { useIsAdmin } from '../../auth/session.ts';
import { catalogQuery, findEvent, formatEventKey, parseEventKey } from './catalog-query.ts';
import '../events.css';
import { SchemaView } from './schema-view.tsx';
import { TestEmission } from './test-emission.tsx';

export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const catalog = useQuery(catalogQuery);
  const [search, setSearch] = useState('');
  const [selected, setSelected] = useSearchFilter('event');
  const applications = (catalog.data ?? [])
    .map((application) => ({
      ...application,
      events: application.events.filter(({ name, description }) =>
        `${name} ${description}`.toLowerCase().includes(search.trim().toLowerCase()),
      ),
    }))
    .filter(({ events }) => events.length > 0);
  const first = applications[0];
  const key = selected ?? (first?.events[0] && formatEventKey({ ...first, event: first.events[0].name }));
  const name = key === undefined ? null : parseEventKey(key);
  const event = name === null ? undefined : findEvent(catalog.data, name);

  return (
    <Page title={t('catalog.title')} description={t('catalog.description')} wide>
      {catalog.data === undefined && catalog.isError ? (
        <div className="list">
          <ErrorState error={catalog.error} retry={() => void catalog.refetch()} />
        </div>
      ) : catalog.data?.every(({ events }) => events.length === 0) ? (
        <div className="list">
          <EmptyState title={t('catalog.none')} text={t('catalog.noneText')}>
            {isAdmin && (
              <Button type="primary" onClick={() => void navigate(paths.applications)}>
                {t('applications.install')}
              </Button>
            )}
            <SampleShopOffer />
          </EmptyState>
        </div>
      ) : (
        <div className="catalog">
          <div className="catalog-list">
            <SearchField label={t('catalog.search')} value={search} onChange={setSearch} />
            {catalog.isPending && <span className="skeleton-bar" />}
            {applications.map((application) => (
              <ApplicationEvents
                key={application.applicationIdentifier}
                application={application}
                selected={key}
                onSelect={setSelected}
              />
            ))}
            {catalog.isSuccess && applications.length === 0 && (
              <p className="muted">{t('catalog.noMatch')}</p>
            )}
          </div>
          {name !== null && event !== undefined ? (
            <EventDetails key={key} applicationIdentifier={name.applicationIdentifier} event={event} />
          ) : (
            catalog.isSuccess && (
              <div className="card">
                <EmptyState title={t('catalog.gone')} text={t('catalog.goneText')} />
              </div>
            )
          )}
        </div>
      )}
    </Page>
  );
}

interface ApplicationEventsProps {
  application: CatalogApplication;
  selected: string | undefined;
  onSelect: (key: string) => void;
}

function ApplicationEvents({ application, selected, onSelect }: ApplicationEventsProps) {
  const { name, applicationIdentifier, events } = application;
  return (
    <section aria-label={`${name} (${applicationIdentifier})`}>
      <h2>
        {name} <span className="muted">{applicationIdentifier}</span>
      </h2>
      <ul>
        {events.map((event) => {
          const key = formatEventKey({ applicationIdentifier, event: event.name });
          return (
            <li key={key}>
              <button
                type="button"
                className="catalog-event"
                aria-current={key === selected}
                onClick={() => onSelect(key)}
              >
                <span className="mono truncate">{event.name}</span>
                <small className="muted truncate">{event.description}</small>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface EventDetailsProps {
  applicationIdentifier: string;
  event: CatalogEvent;
}

function EventDetails({ applicationIdentifier, event }: EventDetailsProps) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [emitting, setEmitting] = useState(false);
  const filters = { applicationIdentifier, event: event.name };
  const key = formatEventKey(filters);
  return (
    <article className="card catalog-details">
      <header className="card-head">
        <div className="row wrap">
          <h2 className="mono grow">{event.name}</h2>
          {isAdmin && (
            <Button icon={<SendOutlined aria-hidden />} onClick={() => setEmitting(true)}>
              {t('catalog.emitTest')}
            </Button>
          )}
        </div>
        <p>{event.description}</p>
        {isAdmin && (
          <p className="row wrap">
            <Link to={`${paths.subscriptions}?subscription=new&for=${encodeURIComponent(key)}`}>
              {t('catalog.subscribe')}
            </Link>
            <Link to={`${paths.subscriptions}?event=${encodeURIComponent(key)}`}>
              {t('subscriptions.title')}
            </Link>
            <Link to={paths.eventLog(filters)}>{t('eventLog.title')}</Link>
          </p>
        )}
      </header>
      <div className="card-body">
        <SchemaView schema={event.payloadSchema} label={t('catalog.schema')} />
      </div>
      {emitting && (
        <TestEmission
          applicationIdentifier={applicationIdentifier}
          event={event}
          onClose={() => setEmitting(false)}
        />
      )}
    </article>
  );
}
