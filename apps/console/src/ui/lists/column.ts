import type { ReactNode } from 'react';
import type { SortValue } from './sort.ts';

/** A column of a DataList. */
export interface Column<T> {
  key: string;
  /** Empty for columns without a heading: the first one and the actions. */
  title: string;
  width?: number | string;
  render: (item: T) => ReactNode;
  /** Makes the column sortable in a DataList. Only for lists that are loaded as a whole when they are sorted. */
  sortBy?: (item: T) => SortValue;
  /** The first click on the heading sorts from the latest or the largest. */
  descendingFirst?: boolean;
}
