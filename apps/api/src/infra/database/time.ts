import { exactlyOne, type Sql } from './rows.ts';

/** The time of the database, to a millisecond. */
export async function readTime(sql: Sql): Promise<Date> {
  const { now } = await exactlyOne<{ now: Date }>(sql, 'select clock_timestamp()::timestamptz(3) as now');
  return now;
}
