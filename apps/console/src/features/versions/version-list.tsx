import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';
import { EmptyState, ErrorState } from '../../ui/layout/states.tsx';
import { LoadMore } from '../../ui/lists/load-more.tsx';
import type { List } from '../../ui/lists/use-list.ts';
import '../../ui/diff/versions.css';

interface Version {
  version: number;
  createdAt: string;
  author: { name: string } | null;
}

interface VersionListProps<V extends Version> {
  list: List<V>;
  /** The number of the current version. */
  current: number;
  /** Restores an earlier version. Without it, none can be restored. */
  onRestore: ((version: V) => void) | undefined;
  /** What a version changed; the one before it, as far as it is loaded. */
  changes: (version: V, before: V | undefined) => ReactNode;
}

/** The versions of an agent or a task, newest first. */
export function VersionList<V extends Version>({ list, current, onRestore, changes }: VersionListProps<V>) {
  const { t } = useTranslation();
  return (
    <>
      {list.error && <ErrorState error={list.error} retry={list.retry} />}
      {list.loading && <span className="skeleton-bar" />}
      {!list.loading && !list.error && list.items.length === 0 && <EmptyState title={t('versions.none')} />}
      <ol className="versions">
        {list.items.map((one, i) => (
          <li key={one.version}>
            <div className="row wrap">
              <h2>{t('versions.number', { version: one.version })}</h2>
              {one.version === current && <span className="badge success">{t('versions.current')}</span>}
              <span className="muted grow">
                <Time iso={one.createdAt} />
                {one.author !== null && ` · ${one.author.name}`}
              </span>
              {one.version !== current && onRestore !== undefined && (
                <Button
                  size="small"
                  aria-label={t('versions.restoreNamed', { version: one.version })}
                  onClick={() => onRestore(one)}
                >
                  {t('versions.restore')}
                </Button>
              )}
            </div>
            {one.version === 1 ? (
              <p className="muted">{t('versions.first')}</p>
            ) : (
              changes(one, list.items[i + 1])
            )}
          </li>
        ))}
      </ol>
      <LoadMore list={list} block />
    </>
  );
}
