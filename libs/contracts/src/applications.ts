import type { PageQuery } from './page.ts';

export const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'datetime', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];
/** A value that a column equals, or what it compares with. */
export type RowCondition =
  | string
  | number
  | boolean
  | {
      $gt?: string | number;
      $gte?: string | number;
      $lt?: string | number;
      $lte?: string | number;
      /** For columns of type string. */
      $prefix?: string;
    };

export interface DataRowQuery extends PageQuery {
  filter?: Record<string, RowCondition>;
  /** `createdAt` or a column, with `-` in front for descending order. */
  sort?: string;
}
