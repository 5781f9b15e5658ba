import type { ValueTransformer } from 'typeorm';

/** Reads bigint and numeric columns, which the driver returns as text, as numbers. Only for values within 2^53. */
export const asNumber: ValueTransformer = {
  from: (value: string | null): number | null => (value === null ? null : Number(value)),
  to: (value: unknown): unknown => value,
};
