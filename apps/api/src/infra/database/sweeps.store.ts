import { rows, type Sql } from './rows.ts';

export interface SweepPeriod {
  name: string;
  everyMs: number;
}

export interface OverdueSweep {
  name: string;
  succeededAt: Date | null;
  /** How often it has failed since it last succeeded. */
  failures: number;
}

/** Half a tick early is better than a tick late. */
const SOON = `clock_timestamp() + interval '30 seconds'`;

/** After a failure, a sweep waits 5 minutes, then twice as long each time, but at most an hour or its own period. */
const RETRY_MS = 'least(300000 * 2 ^ least(s.failures - 1, 10), 3600000, p.every_ms)';

const PERIODS = 'unnest($1::text[], $2::float8[]) with ordinality as p(name, every_ms, place)';
const parameters = (periods: readonly SweepPeriod[]) => [
  periods.map(({ name }) => name),
  periods.map(({ everyMs }) => everyMs),
];

/** Lists the sweeps that are due, in the given order. One that is new is due at once. */
export async function listDueSweeps(sql: Sql, periods: readonly SweepPeriod[]): Promise<string[]> {
  await rows(sql, 'insert into sweep (name) select unnest($1::text[]) on conflict do nothing', [
    periods.map(({ name }) => name),
  ]);
  const due = await rows<{ name: string }>(
    sql,
    `select name from ${PERIODS} join sweep s using (name)
     where coalesce(s.succeeded_at + p.every_ms * interval '1 ms', '-infinity') <= ${SOON}
       and coalesce(s.failed_at + ${RETRY_MS} * interval '1 ms', '-infinity') <= ${SOON}
     order by p.place`,
    parameters(periods),
  );
  return due.map(({ name }) => name);
}

/** Lists the sweeps that have not succeeded for twice their period and an hour. */
export function listOverdueSweeps(sql: Sql, periods: readonly SweepPeriod[]): Promise<OverdueSweep[]> {
  return rows(
    sql,
    `select name, s.succeeded_at, s.failures from ${PERIODS} join sweep s using (name)
     where coalesce(s.succeeded_at, s.created_at) + p.every_ms * interval '2 ms' + interval '1 hour' < clock_timestamp()
     order by p.place`,
    parameters(periods),
  );
}

export async function recordSweepSuccess(sql: Sql, name: string): Promise<void> {
  await rows(
    sql,
    `insert into sweep (name, succeeded_at) values ($1, clock_timestamp())
     on conflict (name) do update set succeeded_at = excluded.succeeded_at, failed_at = null, failures = 0`,
    [name],
  );
}

export async function recordSweepFailure(sql: Sql, name: string): Promise<void> {
  await rows(
    sql,
    `insert into sweep (name, failed_at, failures) values ($1, clock_timestamp(), 1)
     on conflict (name) do update set failed_at = excluded.failed_at, failures = sweep.failures + 1`,
    [name],
  );
}
