import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from './states.tsx';
import type { List } from './use-list.ts';

export interface Column<T> {
  key: string;
  /** Empty for columns without a heading: the first one and the actions. */
  title: string;
  width?: number | string;
  render: (item: T) => ReactNode;
}

interface DataListProps<T> {
  label: string;
  list: List<T>;
  /** The loaded items that match the filter. Defaults to all items. */
  items?: T[];
  columns: Column<T>[];
  rowKey: (item: T) => string;
  empty: ReactNode;
  /** Shown if there are items, but none of them matches the filter. */
  noMatch?: ReactNode;
}

/** The table of a list page, with states for loading, empty lists, errors, and missing permission. */
export function DataList<T>({
  label,
  list,
  items = list.items,
  columns,
  rowKey,
  empty,
  noMatch,
}: DataListProps<T>) {
  const { t } = useTranslation();
  if (list.error !== null) {
    return (
      <div className="list">
        <ErrorState error={list.error} retry={list.retry} />
      </div>
    );
  }
  if (!list.loading && items.length === 0 && !list.hasMore) {
    return <div className="list">{list.items.length > 0 ? noMatch : empty}</div>;
  }
  return (
    <div className="list" aria-busy={list.loading}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" style={{ width: column.width }}>
                {column.title || <span className="visually-hidden">{t('common.actions')}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.loading
            ? [70, 55, 62].map((width) => <SkeletonRow key={width} columns={columns} width={width} />)
            : items.map((item) => (
                <tr key={rowKey(item)}>
                  {columns.map((column, i) => (
                    <td
                      key={column.key}
                      data-label={i === 0 ? '' : column.title}
                      className={column.title ? undefined : 'cell-actions'}
                    >
                      {column.render(item)}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
      {list.hasMore && (
        <div className="list-more">
          <Button onClick={list.loadMore} loading={list.loadingMore}>
            {t('common.loadMore')}
          </Button>
        </div>
      )}
    </div>
  );
}

function SkeletonRow<T>({ columns, width }: { columns: Column<T>[]; width: number }) {
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.key}>
          <span className="skeleton-bar" style={{ width: `${width}%` }} />
        </td>
      ))}
    </tr>
  );
}
