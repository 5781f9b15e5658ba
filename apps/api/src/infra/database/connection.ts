import type { Socket } from 'node:net';
import pg from 'pg';
import { Statement, type PreparedStatement, type RowShape, type SqlStatement } from './statement.ts';

interface ConnectionOptions extends pg.ClientConfig {
  /** Whether statements are sent while others wait for their response (`pipelined`). The types of `pg` lack it. */
  pipeline: boolean;
  /** A connection without a response to a statement for this long is closed. */
  answerMs: number;
  /** Limits that the server enforces for each statement, by the names of their settings. In milliseconds. */
  limits: Record<string, number>;
  /** Whether every statement keeps its plan, so that the settings for it need not be sent with each. */
  keepsPlans?: boolean;
}

/**
 * Settings of the planner for statements that keep their plan, and for no others. Their plans were made while a table was
 * almost empty, and are to be as good when it has millions of rows. So they use indexes only, and each table has a condition
 * on its key that is no join, such as `run_id = any($1)`: a join alone would read the index as a whole.
 *
 * Pruning is off because PostgreSQL 18.4 crashes when a statement locks rows that others have just changed, and then prunes
 * partitions as it executes: it uses memory that it has freed. Claims and ends of runs do both.
 */
export const KEPT_PLAN = {
  enable_seqscan: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_partition_pruning: 'off',
};
const SET_KEPT_PLAN = { name: 'set_kept_plan', text: localSettings(KEPT_PLAN) };

const ENDS_TRANSACTION = /^\s*(commit|rollback)\s*;?\s*$/i;

/** Statements that can be preceded by settings; no other statement needs them. */
const TAKES_SETTINGS = /^\s*(select|insert|update|delete|with)\b/i;

/**
 * A connection whose statements either finish in time or fail. PostgreSQL cancels long statements itself. If it is
 * frozen or unreachable, only closing the connection frees its user, and the outcome of the statement is unknown.
 *
 * It can lead to a pooler such as PgBouncer, which may give every transaction another connection to the server. Nothing that
 * belongs to a connection can be used then: limits are sent with each statement, and no statement is prepared by name.
 */
export class Connection extends pg.Client {
  private readonly answerMs: number;
  private readonly limits: Record<string, number>;
  private readonly keepsPlans: boolean;
  /** Of the prepared statements, by their names. */
  private readonly shapes = new Map<string, RowShape>();
  /** The transaction that was begun, and whether the settings for kept plans hold in it. */
  private transaction: { keepsPlans: boolean } | null = null;
  private corked = false;
  private isPooled = false;

  constructor(options?: string | pg.ClientConfig) {
    super(options);
    const {
      answerMs = Infinity,
      limits = {},
      keepsPlans = false,
    } = (options ?? {}) as Partial<ConnectionOptions>;
    this.answerMs = answerMs;
    this.limits = limits;
    this.keepsPlans = keepsPlans;
    // Between two uses, nothing else listens for errors for a moment, and an error would end the process.
    this.on('error', () => undefined);
    // Assigned rather than overridden, to keep the overloads of the original.
    this.query = ((...args: unknown[]) => this.ask(args)) as pg.Client['query'];
    const connect = this.connect.bind(this) as () => Promise<unknown>;
    this.connect = ((callback?: (error?: unknown) => void) => {
      const ready = connect().then(() => this.prepareSession());
      if (callback === undefined) return ready;
      ready.then(() => callback(), callback);
    }) as pg.Client['connect'];
  }

  /** Sends BEGIN. If it fails, the connection is closed: nothing that waits for it is executed. */
  begin(): Promise<unknown> {
    const begun = this.query('START TRANSACTION').catch((error: unknown) => {
      throw this.destroy((error as Error).message);
    });
    this.transaction = { keepsPlans: this.keepsPlans };
    // Nobody may be waiting for it yet.
    begun.catch(() => undefined);
    return begun;
  }

  /** A pooler tells its clients process ids of its own. */
  private async prepareSession(): Promise<void> {
    const { rows } = await this.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { processID } = this as unknown as { processID: number };
    this.isPooled = rows[0]?.pid !== processID;
    if (this.isPooled) return;
    const settings = { ...this.limits, ...(this.keepsPlans && KEPT_PLAN) };
    const set = Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`);
    // They are executed before whatever follows.
    for (const statement of [set.join('; '), ...(this.keepsPlans ? [] : [SET_KEPT_PLAN])])
      this.query(statement).catch((error: unknown) => this.destroy((error as Error).message));
  }

  private ask(args: unknown[]): unknown {
    const done = args.at(-1);
    if (typeof done === 'function') {
      this.send(args.slice(0, -1), done as Done);
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.send(args, (error, result) => (error ? reject(error) : resolve(result)));
    return promise.catch((error: unknown) => {
      // The original stack leads to the socket, this one to the caller.
      Error.captureStackTrace(error as Error);
      throw error;
    });
  }

  private send([statement, values]: unknown[], done: Done): void {
    this.cork();
    const timer =
      this.answerMs === Infinity
        ? undefined
        : setTimeout(
            () => this.destroy(`The database did not answer within ${this.answerMs} ms`),
            this.answerMs,
          );
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    query(
      this.toQuery(statement as string | PreparedStatement, values),
      values,
      (error: Error | null, result?: unknown) => {
        clearTimeout(timer);
        done(error, result);
      },
    );
  }

  /** Returns what is sent: a statement, preceded by its settings if the connection does not have them. */
  private toQuery(statement: string | PreparedStatement, values: unknown): unknown {
    if (!this.isPooled)
      return typeof statement === 'string' ? this.noteEnd(statement) : this.toStatement(statement);
    const unnamed: SqlStatement =
      typeof statement === 'string'
        ? { text: statement, values: values as unknown[] }
        : { ...statement, name: undefined };
    if (!TAKES_SETTINGS.test(unnamed.text)) return new Statement(unnamed, null);
    const settings = { ...this.limits, ...(unnamed.keepsPlan && KEPT_PLAN) };
    return new Statement(unnamed, { text: localSettings(settings) });
  }

  private toStatement(statement: PreparedStatement): Statement {
    const keepsPlans = this.transaction?.keepsPlans ?? this.keepsPlans;
    const isFirst = statement.keepsPlan === true && !keepsPlans;
    if (isFirst && this.transaction !== null) this.transaction.keepsPlans = true;
    return new Statement(statement, isFirst ? SET_KEPT_PLAN : null, this.shapes);
  }

  /** Settings of a transaction end with it, or when a savepoint is restored. */
  private noteEnd(statement: string): string {
    if (ENDS_TRANSACTION.test(statement)) this.transaction = null;
    else if (this.transaction !== null) this.transaction.keepsPlans = this.keepsPlans;
    return statement;
  }

  /** Statements of one moment leave in one write: waking PostgreSQL costs more than most of them. */
  private cork(): void {
    if (this.corked) return;
    this.corked = true;
    const { stream } = this;
    stream.cork();
    process.nextTick(() => {
      this.corked = false;
      stream.uncork();
    });
  }

  /** The statements under way fail, and so do those that follow. */
  private destroy(message: string): Error {
    const error = Object.assign(new Error(message), { code: 'ETIMEDOUT' });
    this.stream.destroy(error);
    return error;
  }

  private get stream(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream;
  }
}

type Done = (error: Error | null, result?: unknown) => void;

/** A statement that sets values for its transaction and returns no rows. */
function localSettings(settings: Record<string, string | number>): string {
  const set = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true) is null`,
  );
  return `select where ${set.join(' or ')}`;
}
