import type { PageQuery } from './page.ts';

export const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'datetime', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];
export type DataRowQuery = PageQuery;
