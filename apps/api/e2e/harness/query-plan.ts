import { DataSource } from 'typeorm';
import type { TestApp } from './app.ts';

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** How many rows the statement's nodes pass on and drop, summed; what it writes is taken back. `settings` precede it. */
export async function rowsRead(
  app: TestApp,
  statement: string,
  parameters: unknown[],
  settings?: string,
): Promise<number> {
  const runner = app.get(DataSource).createQueryRunner();
  try {
    await runner.startTransaction();
    if (settings !== undefined) await runner.query(settings);
    const [row] = (await runner.query(`explain (analyze, format json) ${statement}`, parameters)) as [
      { 'QUERY PLAN': [{ Plan: Plan }] },
    ];
    await runner.rollbackTransaction();
    return sum(row['QUERY PLAN'][0].Plan);
  } finally {
    await runner.release();
  }
}

function sum(plan: Plan): number {
  const each =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  return each * plan['Actual Loops'] + (plan.Plans ?? []).reduce((total, inner) => total + sum(inner), 0);
}
