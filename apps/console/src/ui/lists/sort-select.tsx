import { useTranslation } from 'react-i18next';
import type { Column } from './column.ts';
import { FilterSelect } from './filter-select.tsx';
import { formatSorting, parseSorting } from './sort.ts';
import type { SortedList } from './use-sorting.ts';

/** Sorts a list on a narrow screen, where no column has a heading. */
export function SortSelect<T>({ columns, sorted }: { columns: Column<T>[]; sorted: SortedList<T> }) {
  const { t } = useTranslation();
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined);
  if (sortable.length === 0) return null;
  const keys = sortable.map(({ key }) => key);
  const options = sortable.flatMap(({ key, title, descendingFirst = false }) =>
    [descendingFirst, !descendingFirst].map((descending) => ({
      value: formatSorting({ key, descending }),
      label: t(descending ? 'common.descending' : 'common.ascending', { column: title }),
    })),
  );
  return (
    <div className="sort-select">
      <FilterSelect
        label={t('common.sortBy')}
        any={t('common.anyOrder')}
        value={sorted.sorting && formatSorting(sorted.sorting)}
        onChange={(text) => sorted.sort(parseSorting(text ?? null, keys))}
        options={options}
        width="100%"
      />
    </div>
  );
}
