import { memo, useRef, type CSSProperties, type MouseEvent, type ReactNode, type Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { createPath, useNavigate, type To } from 'react-router';
import type { Column } from './column.ts';
import { LoadMore } from './load-more.tsx';
import { nextSorting } from './sort.ts';
import { SortSelect } from './sort-select.tsx';
import { useNumbers } from '../format/use-numbers.ts';
import { EmptyState, ErrorState } from '../layout/states.tsx';
import { isInVain, useLoadMore, type List } from './use-list.ts';
import { useSorting, type SortedList } from './use-sorting.ts';
import { useVisibleRows } from './use-visible-rows.ts';

export type { Column };

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
  /** Marks rows that differ from the others. */
  rowClass?: ((item: T) => string | undefined) | undefined;
  /** Where a click on a row leads. The first column contains the same link, for keyboards and screen readers. */
  rowTo?: ((item: T) => To | undefined) | undefined;
  /** What a click on a row does if it leads to no other page, such as opening a drawer. */
  onRowClick?: ((item: T) => unknown) | undefined;
}

interface LongListProps {
  /** Height of every row in pixels, on wide and on narrow screens. Only rows near the visible part are rendered. */
  rowHeight: { wide: number; narrow: number };
}

/** The table of a list page, with states for loading, empty lists, errors, and missing permission. */
export function DataList<T>(props: DataListProps<T>) {
  const { list, columns } = props;
  const sorted = useSorting(list, props.items ?? list.items, columns);
  return (
    <Table {...props} sorted={sorted}>
      {list.loading || sorted.loading ? (
        <SkeletonRows columns={columns} />
      ) : (
        sorted.items.map((item, i) => (
          <Row
            key={props.rowKey(item)}
            item={item}
            index={i}
            columns={columns}
            rowClass={props.rowClass}
            rowTo={props.rowTo}
            onRowClick={props.onRowClick}
          />
        ))
      )}
    </Table>
  );
}

/** A DataList for thousands of rows, which loads more rows when the user scrolls to its end. */
export function LongDataList<T>(props: DataListProps<T> & LongListProps) {
  const { list, items = list.items, rowHeight, rowKey } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, last, before, after } = useVisibleRows(body, items.length, rowHeight);
  const isAtEnd = last >= items.length - 10;
  const heights = {
    '--row-height': `${rowHeight.wide}px`,
    '--narrow-row-height': `${rowHeight.narrow}px`,
  } as CSSProperties;

  useLoadMore(list, isAtEnd && items.length > 0 && !isInVain(list));

  return (
    <Table
      {...props}
      bodyRef={body}
      bodyStyle={heights}
      className="long-list"
      rowCount={list.hasMore ? -1 : items.length + 1}
    >
      {list.loading ? (
        <SkeletonRows columns={props.columns} />
      ) : (
        <>
          {before > 0 && <Space height={before} />}
          {items.slice(first, last).map((item, i) => (
            <Row
              key={rowKey(item)}
              item={item}
              index={first + i}
              columns={props.columns}
              rowClass={props.rowClass}
              rowTo={props.rowTo}
              onRowClick={props.onRowClick}
            />
          ))}
          {after > 0 && <Space height={after} />}
        </>
      )}
    </Table>
  );
}

interface TableProps<T> extends DataListProps<T> {
  sorted?: SortedList<T>;
  className?: string;
  rowCount?: number;
  bodyRef?: Ref<HTMLTableSectionElement>;
  bodyStyle?: CSSProperties;
  children: ReactNode;
}

function Table<T>(props: TableProps<T>) {
  const {
    label,
    list,
    items = list.items,
    columns,
    empty,
    noMatch,
    className = '',
    rowCount,
    sorted,
  } = props;
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
  if (!list.loading && list.items.length === 0 && sorted?.loading !== true) return <NothingYet list={list} />;
  return (
    <div className={`list ${className}`} aria-busy={list.loading || sorted?.loading}>
      {sorted !== undefined && <SortSelect columns={columns} sorted={sorted} />}
      <table aria-label={label} aria-rowcount={rowCount}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} sorted={sorted} />
            ))}
          </tr>
        </thead>
        <tbody ref={props.bodyRef} style={props.bodyStyle}>
          {props.children}
        </tbody>
      </table>
      {list.hasMore && !list.loading && sorted?.loading !== true && (
        <div className="list-more">
          <LoadMore list={list}>
            <Searched list={list} />{' '}
          </LoadMore>
        </div>
      )}
    </div>
  );
}

/** A search that has found nothing in what was looked at, while there is more. */
function NothingYet({ list }: { list: List<unknown> }) {
  const { t } = useTranslation();
  return (
    <div className="list">
      <EmptyState title={t('common.nothingYet')} text={<Searched list={list} />}>
        <LoadMore list={list} label={t('common.searchOn')} />
      </EmptyState>
    </div>
  );
}

/** How far was searched. */
function Searched({ list: { searched } }: { list: List<unknown> }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  if (searched === undefined) return null;
  return <span className="muted">{t('common.searched', { formatted: whole(searched) })}</span>;
}

function Heading<T>({ column, sorted }: { column: Column<T>; sorted: SortedList<T> | undefined }) {
  const { t } = useTranslation();
  const { key, title, width, sortBy, descendingFirst = false } = column;
  if (sorted === undefined || sortBy === undefined)
    return (
      <th scope="col" style={{ width }}>
        {title || <span className="visually-hidden">{t('common.actions')}</span>}
      </th>
    );
  const { sorting, sort } = sorted;
  const direction = sorting?.key === key ? (sorting.descending ? 'descending' : 'ascending') : undefined;
  return (
    <th scope="col" style={{ width }} aria-sort={direction}>
      <button
        type="button"
        className="sort-button"
        onClick={() => sort(nextSorting(sorting, key, descendingFirst))}
      >
        {title}
        <span aria-hidden className={`sort-arrow ${direction ?? ''}`} />
      </button>
    </th>
  );
}

interface RowProps<T> extends Pick<DataListProps<T>, 'columns' | 'rowClass' | 'rowTo' | 'onRowClick'> {
  item: T;
  index: number;
}

/** Scrolling moves the window of a long list, and must not render the rows that stay. */
const Row = memo(PlainRow) as typeof PlainRow;

function PlainRow<T>({ item, index, columns, rowClass, rowTo, onRowClick }: RowProps<T>) {
  const to = rowTo?.(item);
  const open = useRowClick(to, onRowClick && (() => onRowClick(item)));
  const names = [rowClass?.(item), open && 'clickable'].filter(Boolean).join(' ');
  return (
    <tr className={names || undefined} aria-rowindex={index + 2} onClick={open} onAuxClick={open}>
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
  );
}

/** Makes a row lead to a page in the way of a link: also in a new tab, and not when its text is being selected. */
function useRowClick(
  to: To | undefined,
  act: (() => unknown) | undefined,
): ((event: MouseEvent) => void) | undefined {
  const navigate = useNavigate();
  if (to === undefined && act === undefined) return undefined;
  return (event) => {
    const { target, currentTarget, button } = event;
    // A menu that a row has opened is elsewhere in the document, but its clicks bubble through React.
    if (!(target instanceof Element) || !currentTarget.contains(target)) return;
    if (target.closest('a, button, input, select, label') !== null || button > 1) return;
    if (window.getSelection()?.isCollapsed === false) return;
    if (to === undefined) {
      if (button === 0) act?.();
    } else if (button === 1 || event.metaKey || event.ctrlKey)
      window.open(typeof to === 'string' ? to : createPath(to), '_blank', 'noopener');
    else void navigate(to);
  };
}

/** Takes the place of rows that are not rendered. */
function Space({ height }: { height: number }) {
  return <tr aria-hidden className="space-row" style={{ height }} />;
}

function SkeletonRows<T>({ columns }: { columns: Column<T>[] }) {
  return [70, 55, 62].map((width) => (
    <tr key={width}>
      {columns.map((column) => (
        <td key={column.key}>
          <span className="skeleton-bar" style={{ width: `${width}%` }} />
        </td>
      ))}
    </tr>
  ));
}
