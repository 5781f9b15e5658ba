import type { ApplicationDetail, DataRow, ManifestColumn, ManifestTable } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { client, keys } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { JsonView } from '../../../ui/code/json-view.tsx';
import { Time } from '../../../ui/format/time.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { EmptyState, Loaded } from '../../../ui/layout/states.tsx';
import { DataList, type Column } from '../../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { useList } from '../../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../../ui/url/use-search-filter.ts';
import { applicationQuery } from '../applications-query.ts';
import '../applications.css';
import { operatorsOf, parseRowFilter } from './row-filter.ts';
import { RowFilterBar } from './row-filter-bar.tsx';

/** How many columns the list has; the row itself shows all. */
const MAX_COLUMNS = 6;
const MAX_TEXT = 80;

/** The rows of a table of an application. */
export function Component() {
  const { identifier = '', table: name = '' } = useParams();
  const application = useQuery(applicationQuery(identifier));
  return (
    <Loaded query={application}>
      {(loaded) => {
        const table = loaded.manifest.tables?.find((one) => one.name === name);
        if (table === undefined) return <NoTable application={loaded} name={name} />;
        return <Rows key={`${identifier} ${name}`} application={loaded} table={table} />;
      }}
    </Loaded>
  );
}

function NoTable({ application, name }: { application: ApplicationDetail; name: string }) {
  const { t } = useTranslation();
  return (
    <EmptyState title={name} text={t('rows.unknown')}>
      <Link to={paths.application(application.identifier)}>{application.name}</Link>
    </EmptyState>
  );
}

interface RowsProps {
  application: ApplicationDetail;
  table: ManifestTable;
}

function Rows({ application, table: { name: table, columns, emits } }: RowsProps) {
  const { t } = useTranslation();
  const { identifier } = application;
  const [text, setText] = useSearchFilter('filter');
  const [order, setOrder] = useSearchFilter('order', orders(columns));
  const [rowId, openRow, closeRow] = useDrawerParam('row');
  const filter = parseRowFilter(text);
  const isFiltered = Object.keys(filter).length > 0;
  // The order of a column leaves out rows without a value in it.
  const isPart = isFiltered || (order !== undefined && order !== 'createdAt');
  const query = { ...(isFiltered && { filter }), ...(order !== undefined && { sort: order }) };
  const list = useList<DataRow>([...keys.rows(identifier, table), query], (page) =>
    client.data.list({ applicationIdentifier: identifier, table }, { ...page, ...query }),
  );
  const row = list.items.find(({ id }) => id === rowId);
  return (
    <Page
      wide
      title={t('rows.title', { table })}
      description={t('rows.description', {
        table,
        application: application.name,
        emits: emits == null ? '' : t('rows.emits', { event: emits.onInsert }),
      })}
      parent={{ to: paths.application(identifier), label: application.name }}
      actions={<Order columns={columns} value={order} onChange={setOrder} />}
    >
      <RowFilterBar
        columns={columns}
        filter={filter}
        onChange={(next) => setText(Object.keys(next).length === 0 ? undefined : JSON.stringify(next))}
      />
      <DataList
        label={t('rows.title', { table })}
        list={list}
        columns={useRowColumns(columns, openRow)}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => openRow(id)}
        empty={
          isPart ? (
            <EmptyState title={t('rows.noMatch')} text={t('rows.noMatchText')} />
          ) : (
            <EmptyState title={t('rows.none')} text={t('rows.noneText')} />
          )
        }
      />
      {rowId !== undefined && (
        <Drawer open onClose={closeRow} size={560} title={t('rows.row')}>
          {row !== undefined && <JsonView value={row} label={t('rows.row')} />}
          {row === undefined && !list.loading && (
            <EmptyState title={t('states.notFound')} text={t('rows.notLoaded')} />
          )}
        </Drawer>
      )}
    </Page>
  );
}

function orders(columns: ManifestColumn[]): string[] {
  const sortable = columns.filter(({ type }) => operatorsOf(type).length > 0);
  return ['createdAt', ...sortable.flatMap(({ name }) => [name, `-${name}`])];
}

interface OrderProps {
  columns: ManifestColumn[];
  value: string | undefined;
  onChange: (order: string | undefined) => void;
}

function Order({ columns, value, onChange }: OrderProps) {
  const { t } = useTranslation();
  return (
    <FilterSelect
      label={t('rows.order')}
      any={t('rows.newest')}
      value={value}
      onChange={onChange}
      options={orders(columns).map((order) => {
        const key = order.replace('-', '');
        const column = key === 'createdAt' ? t('rows.created') : key;
        return { value: order, label: t(order === key ? 'rows.ascending' : 'rows.descending', { column }) };
      })}
      width={220}
    />
  );
}

function useRowColumns(columns: ManifestColumn[], open: (rowId: string) => void): Column<DataRow>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'created',
      title: t('rows.created'),
      width: 150,
      render: (row) => (
        <button type="button" className="link-button" onClick={() => open(row.id)}>
          <Time iso={row.createdAt} />
        </button>
      ),
    },
    ...columns.slice(0, MAX_COLUMNS).map(({ name, type }): Column<DataRow> => ({
      key: name,
      title: name,
      render: (row) => <Value value={row[name]} type={type} />,
    })),
  ];
}

function Value({ value, type }: { value: unknown; type: ManifestColumn['type'] }) {
  const { t } = useTranslation();
  if (value === null || value === undefined)
    return (
      <span className="muted" aria-label={t('rows.noValue')}>
        –
      </span>
    );
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'datetime') return <Time iso={text} />;
  return (
    <span className={typeof value === 'string' ? undefined : 'mono'} title={text.slice(0, 1_000)}>
      {text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}
    </span>
  );
}
