import { rows, type Sql } from '../../src/infra/database/rows.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

export interface Cost {
  /** Rows of tables that were looked at, those that a filter dropped included. */
  rows: number;
  /** 8 KB blocks. */
  blocks: number;
  /** Tables that were read from their beginning to their end. */
  scanned: string[];
}

/** Runs statements as `sql` does, and notes what each cost. */
export class Explained implements Sql {
  readonly costs: Cost[] = [];

  constructor(private readonly sql: Sql) {}

  /** The sum of all so far. */
  get cost(): Cost {
    return this.costs.reduce((a, b) => ({
      rows: a.rows + b.rows,
      blocks: a.blocks + b.blocks,
      scanned: [...a.scanned, ...b.scanned],
    }));
  }

  async query<T>(statement: string, parameters: unknown[] = []): Promise<T> {
    if (!/^\s*(select|with|insert|update|delete)\b/i.test(statement))
      return this.sql.query<T>(statement, parameters);
    await this.sql.query('begin');
    const [row] = await rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      this.sql,
      `explain (analyze, buffers, format json) ${statement}`,
      parameters,
    );
    // What it changed is undone and done again.
    await this.sql.query('rollback');
    const plan = row?.['QUERY PLAN'][0].Plan;
    if (plan === undefined) throw new Error('No plan');
    this.costs.push({
      rows: sum(plan, ({ 'Relation Name': table, ...node }) =>
        table === undefined
          ? 0
          : (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      ),
      blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      scanned: nodes(plan)
        .filter((node) => node['Node Type'] === 'Seq Scan')
        .map((node) => node['Relation Name'] ?? ''),
    });
    return this.sql.query<T>(statement, parameters);
  }
}

function nodes(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

function sum(plan: PlanNode, of: (node: PlanNode) => number): number {
  return nodes(plan).reduce((total, node) => total + of(node), 0);
}
