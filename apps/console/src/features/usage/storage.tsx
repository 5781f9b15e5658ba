import { EditOutlined } from '@ant-design/icons';
import { STORAGE_KINDS, type StorageUse } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { formatBytes } from '../../ui/format/bytes.ts';
import { Time } from '../../ui/format/time.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { ErrorState } from '../../ui/layout/states.tsx';

const QuotasDialog = lazyPart(() =>
  import('./quotas-dialog.tsx').then((module) => ({ default: module.QuotasDialog })),
);

/** What the space stores, and how much it may; for admins. */
export function Storage() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const storage = useQuery({ queryKey: [...keys.usage, 'storage'], queryFn: () => client.usage.storage() });
  if (storage.isError && storage.data === undefined)
    return <ErrorState error={storage.error} retry={() => void storage.refetch()} />;
  const items = storage.data?.items;
  return (
    <section className="storage" aria-labelledby="usage-storage">
      <div className="toolbar">
        <h2 id="usage-storage" className="grow">
          {t('storage.title')}
        </h2>
        <Button
          icon={<EditOutlined aria-hidden />}
          disabled={items === undefined}
          onClick={() => setOpen(true)}
        >
          {t('storage.setQuotas')}
        </Button>
      </div>
      <div className="balances">
        {items?.map((use) => <Use key={use.kind} use={use} />) ??
          STORAGE_KINDS.map((kind) => (
            <section key={kind} className="card balance">
              <span className="skeleton-bar" />
            </section>
          ))}
      </div>
      {isOpen && items !== undefined && (
        <Suspense>
          <QuotasDialog items={items} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </section>
  );
}

function Use({ use }: { use: StorageUse }) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  const { kind, bytes, count, quotaBytes, isLimitable, measuredAt, tables } = use;
  const size = (value: number) => formatBytes(value, i18n.language);
  const isFull = quotaBytes !== null && bytes >= quotaBytes;
  return (
    <section className="card balance" aria-label={t(`storage.kinds.${kind}`)}>
      <h2>{t(`storage.kinds.${kind}`)}</h2>
      <p className={isFull ? 'figure danger-text' : 'figure'}>
        {quotaBytes === null
          ? size(bytes)
          : t('storage.ofQuota', { used: size(bytes), quota: size(quotaBytes) })}
      </p>
      <p className="muted">
        {t('storage.count', { count, formatted: whole(count) })}
        {isLimitable && quotaBytes === null && ` · ${t('storage.unlimited')}`}
        {' · '}
        {t('storage.measured')} <Time iso={measuredAt} />
      </p>
      {tables.length > 0 && kind !== 'KNOWLEDGE' && (
        <details>
          <summary>{t('storage.tables')}</summary>
          <ul className="storage-tables">
            {tables.map((table) => (
              <li key={`${table.applicationIdentifier} ${table.name}`} className="row">
                <span className="mono truncate grow">
                  {[table.applicationIdentifier, table.name].filter((part) => part !== null).join(' / ')}
                </span>
                <span className="muted">{size(table.bytes)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
