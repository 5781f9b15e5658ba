import { LessThanOrEqual, MoreThanOrEqual, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { smallestIdAt } from './instant.ts';

/** The clock behind ids and times may have been set back a little in between. */
const ID_SLACK_MS = 60_000;

/**
 * Limits a query to a time, both ends included; null: no end. Ids are about as old as their rows, so a range of ids keeps a
 * query for last year from reading this year's rows.
 */
export function limitTimes<Row extends ObjectLiteral & { id: string }>(
  query: SelectQueryBuilder<Row>,
  column: keyof Row,
  { from, to }: { from: Date | null; to: Date | null },
): void {
  const add = (name: keyof Row, value: unknown) => query.andWhere({ [name]: value });
  if (from !== null) {
    add(column, MoreThanOrEqual(from));
    add('id', MoreThanOrEqual(smallestIdAt(from.getTime() - ID_SLACK_MS)));
  }
  if (to !== null) {
    add(column, LessThanOrEqual(to));
    add('id', LessThanOrEqual(smallestIdAt(to.getTime() + ID_SLACK_MS)));
  }
}
