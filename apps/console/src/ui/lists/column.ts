import type { ReactNode } from 'react';
import type { SortValue } from './sort.ts';

/** A column of a DataList. */
export interface Column<T> {
  key: string;
  /** Empty for columns without a heading: the first one and the actions. */
  title: string;
  width?: number | string;
  render: (item: T) => ReactNode;
  /**
   * Makes the column sortable in a DataList. By a value of the items: such a list is loaded as a whole when it is sorted. `service`:
   * the page asks the service for the order in the URL, which is the key of the column, or `-` and the key.
   */
  sortBy?: ((item: T) => SortValue) | 'service';
  /** The first click on the heading sorts from the latest or the largest. */
  descendingFirst?: boolean;
}
