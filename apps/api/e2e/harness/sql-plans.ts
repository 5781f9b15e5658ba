import pg from 'pg';
import type { TestApp } from './app.ts';

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** A node of a plan in JSON, with the nodes below it. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

/** Explains the statements of this process, as its database is filled; one at a time. */
export class SqlPlans {
  private readonly seen = new Map<string, unknown[]>();

  private constructor(
    private readonly explainer: pg.Client,
    private readonly query: Query,
  ) {}

  static async attach(app: TestApp): Promise<SqlPlans> {
    const explainer = new pg.Client({ connectionString: app.databaseUrl });
    await explainer.connect();
    const prototype = pg.Client.prototype as { query: Query };
    const { query } = prototype;
    const plans = new SqlPlans(explainer, query);
    prototype.query = function (...args) {
      if (this !== explainer) plans.note(args);
      return query.apply(this, args);
    };
    return plans;
  }

  /** Statements without the other tables that read one of the tables, or an index of it, as a whole. */
  async wholeReads(tables: string[], without: string[] = []): Promise<string[]> {
    const found: string[] = [];
    for (const [text, values] of this.seen) {
      const names = (table: string) => new RegExp(`\\b${table}\\b`).test(text);
      if (!tables.some(names) || without.some(names)) continue;
      for (const node of await this.explain(text, values))
        if (tables.includes(node['Relation Name'] ?? '') && isWhole(node))
          found.push(`${node['Node Type']} on ${node['Relation Name']}: ${text}`);
    }
    return found;
  }

  /** The indexes that serve the statements which contain the text. */
  async indexesOf(fragment: string): Promise<string[]> {
    const names = new Set<string>();
    for (const [text, values] of this.seen) {
      if (!text.includes(fragment)) continue;
      for (const node of await this.explain(text, values)) names.add(node['Index Name'] ?? '');
    }
    return [...names].filter((name) => name !== '').sort();
  }

  private async explain(text: string, values: unknown[]): Promise<Plan[]> {
    const { rows } = await this.explainer.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (format json) ${text}`,
      values,
    );
    return [...nodes(rows[0]?.['QUERY PLAN'][0].Plan)];
  }

  async close(): Promise<void> {
    (pg.Client.prototype as { query: Query }).query = this.query;
    await this.explainer.end();
  }

  private note([first, values]: unknown[]): void {
    const named = first as { text?: string; values?: unknown[] };
    const text = typeof first === 'string' ? first : named.text;
    if (text === undefined || !/^\s*(select|with|insert|update|delete)/i.test(text)) return;
    this.seen.set(text, (typeof first === 'string' ? (values as unknown[] | undefined) : named.values) ?? []);
  }
}

/** Whether a node reads a table, or an index of it, as a whole. */
export function isWhole(node: Plan): boolean {
  const type = node['Node Type'];
  return type === 'Seq Scan' || (/^Index/.test(type) && node['Index Cond'] === undefined);
}

export function* nodes(plan: Plan | undefined): Generator<Plan> {
  if (plan === undefined) return;
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodes(child);
}
