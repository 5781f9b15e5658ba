import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Avatar } from '../../ui/layout/avatar.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { JsonView } from '../../ui/code/json-view.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import './audit.css';
import { summarizeDetails } from './summarize-details.ts';
import { useAuditFilters, useAuditQuery } from './use-audit-filters.ts';

/** What admins did in the space, and people to tasks and runs, newest first. */
export function Component() {
  const { t } = useTranslation();
  const [filters, change] = useAuditFilters();
  const query = useAuditQuery(filters);
  const list = useList<AuditEntry>([...keys.audit, query], (page) =>
    client.audit.list({ ...page, ...query }),
  );

  const columns: Column<AuditEntry>[] = [
    { key: 'time', title: t('audit.time'), width: 130, render: ({ at }) => <Time iso={at} /> },
    {
      key: 'who',
      title: t('audit.who'),
      width: 210,
      render: ({ actor }) =>
        actor === null ? (
          <span className="muted">{t('audit.notNamed')}</span>
        ) : (
          <span className="row" title={actor.email}>
            <Avatar name={actor.name} />
            <span className="truncate">{actor.name}</span>
          </span>
        ),
    },
    { key: 'what', title: t('audit.what'), render: (entry) => <What entry={entry} /> },
  ];

  return (
    <Page title={t('audit.title')} description={t('audit.description')}>
      <AuditFilterBar filters={filters} onChange={change} />
      <DataList
        label={t('audit.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          Object.keys(filters).length > 0 ? (
            <EmptyState title={t('audit.noMatch')} text={t('audit.noMatchText')} />
          ) : (
            <EmptyState title={t('audit.none')} text={t('audit.noneText')} />
          )
        }
      />
    </Page>
  );
}

function What({ entry: { action, at, targetType, targetId, details, requestId } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const label = isKnown(action) ? t(`audit.actions.${action}`) : action;
  const summary = summarizeDetails(details);
  return (
    <details className="audit-entry">
      <summary>
        <span className="audit-label">{label}</span>
        {summary !== '' && <span className="muted"> · {summary}</span>}
      </summary>
      <JsonView
        label={t('audit.details')}
        value={{ at, action, target: { type: targetType, id: targetId }, details, requestId }}
      />
    </details>
  );
}

function isKnown(action: string): action is AuditAction {
  return (AUDIT_ACTIONS as readonly string[]).includes(action);
}
