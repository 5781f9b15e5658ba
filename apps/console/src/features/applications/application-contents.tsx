import type {
  ApplicationDetail,
  ManifestSubscription,
  ManifestTable,
  ManifestTask,
} from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/layout/card.tsx';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { JsonView } from '../../ui/code/json-view.tsx';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';
import { formatEventKey } from '../events/catalog/catalog-query.ts';
import { FilterText } from '../events/filter/filter-text.tsx';
import { createSample } from '../events/catalog/schema.ts';
import { SystemKeys } from './system-keys.tsx';

interface ApplicationContentsProps {
  application: ApplicationDetail;
  onKeyCreated: (systemKey: string) => void;
}

/** What an application declares, and how it emits events. */
export function ApplicationContents({ application, onKeyCreated }: ApplicationContentsProps) {
  const { t } = useTranslation();
  const { manifest } = application;
  const tasks = manifest.tasks ?? [];
  const subscriptions = manifest.subscriptions ?? [];
  const tables = manifest.tables ?? [];
  const counted = (name: string, items: readonly unknown[] = []) => `${name} (${items.length})`;
  return (
    <>
      <Card title={t('applications.key')} text={t('applications.keyText')}>
        <SystemKeys application={application} onCreated={onKeyCreated} />
        <EmitCode application={application} />
      </Card>
      <Card title={counted(t('applications.events'), manifest.events)}>
        <Events application={application} />
      </Card>
      {tasks.length > 0 && (
        <Card title={counted(t('tasks.title'), tasks)}>
          <Tasks application={application} tasks={tasks} />
        </Card>
      )}
      {subscriptions.length > 0 && (
        <Card title={counted(t('subscriptions.title'), subscriptions)}>
          <Subscriptions subscriptions={subscriptions} />
        </Card>
      )}
      {tables.length > 0 && (
        <Card title={counted(t('applications.tables'), tables)}>
          <Tables application={application} tables={tables} />
        </Card>
      )}
      <details className="card manifest">
        <summary>{t('manifest.title')}</summary>
        <div className="card-body">
          <JsonView value={manifest} label={t('manifest.title')} />
        </div>
      </details>
    </>
  );
}

function EmitCode({ application: { identifier, manifest } }: { application: ApplicationDetail }) {
  const { t } = useTranslation();
  const [event] = manifest.events ?? [];
  if (event === undefined) return null;
  const body = {
    appIdentifier: identifier,
    event: event.name,
    payload: createSample(event.payloadSchema),
    idempotencyKey: 'order-4711',
  };
  const code = [
    `curl -X POST ${window.location.origin}/api/events/emit \\`,
    '  -H "Authorization: Bearer $SYSTEM_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join('\n');
  return (
    <div className="emit-code json-view">
      <pre className="code-block" tabIndex={0} role="group" aria-label={t('applications.emitCode')}>
        {code}
      </pre>
      <CopyButton
        size="small"
        type="text"
        text={code}
        label={t('common.copyNamed', { name: t('applications.emitCode') })}
      />
    </div>
  );
}

function Events({ application: { identifier, manifest } }: { application: ApplicationDetail }) {
  const { t } = useTranslation();
  const events = manifest.events ?? [];
  if (events.length === 0) return <p className="muted">{t('applications.noEvents')}</p>;
  return (
    <ul className="contents">
      {events.map(({ name, description }) => (
        <li key={name}>
          <Link
            to={`${paths.catalog}?event=${encodeURIComponent(formatEventKey({ applicationIdentifier: identifier, event: name }))}`}
            className="mono"
          >
            {name}
          </Link>
          <p className="muted">{description}</p>
        </li>
      ))}
    </ul>
  );
}

interface TasksProps {
  application: ApplicationDetail;
  tasks: ManifestTask[];
}

function Tasks({ application: { identifier }, tasks }: TasksProps) {
  const { t } = useTranslation();
  const stored = useQuery({
    queryKey: [...keys.tasks, 'of', identifier],
    queryFn: () => loadAllItems((page) => client.tasks.list({ ...page, applicationIdentifier: identifier })),
  });
  return (
    <ul className="contents">
      {tasks.map(({ key, name, type }) => {
        const task = stored.data?.find(({ application }) => application?.key === key);
        return (
          <li key={key}>
            {task === undefined ? name : <Link to={paths.task(task.id)}>{name}</Link>}
            <p className="muted">
              {type != null && t(`tasks.types.${type}`)} <code>{key}</code>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function Subscriptions({ subscriptions }: { subscriptions: ManifestSubscription[] }) {
  return (
    <ul className="contents">
      {subscriptions.map(({ key, event, taskKey, filter }) => (
        <li key={key}>
          <span className="mono">{event}</span> → <span className="mono">{taskKey}</span>
          <p>
            <FilterText filter={filter ?? null} />
          </p>
        </li>
      ))}
    </ul>
  );
}

interface TablesProps {
  application: ApplicationDetail;
  tables: ManifestTable[];
}

function Tables({ application: { identifier, installed }, tables }: TablesProps) {
  const { t } = useTranslation();
  return (
    <ul className="contents">
      {tables.map(({ name, columns, emits }) => (
        <li key={name}>
          {installed ? (
            <Link to={paths.rows(identifier, name)} className="mono">
              {name}
            </Link>
          ) : (
            <strong className="mono">{name}</strong>
          )}
          {emits != null && (
            <span className="muted"> {t('applications.emitsOnInsert', { event: emits.onInsert })}</span>
          )}
          <p className="row wrap">
            {columns.map((column) => (
              <code key={column.name} className="badge plain">
                {column.name} {column.type}
                {column.required === true && ' *'}
              </code>
            ))}
          </p>
        </li>
      ))}
    </ul>
  );
}
