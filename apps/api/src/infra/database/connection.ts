import type { Socket } from 'node:net';
import pg from 'pg';

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

/** A prepared statement of a hot path. */
export interface PreparedStatement {
  name: string;
  text: string;
  values: unknown[];
  /**
   * Whether each connection keeps its first plan. For a few rows, planning takes longer than executing, and PostgreSQL alone
   * would plan each time.
   */
  keepsPlan?: boolean;
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
      this.withSettings(statement as string | PreparedStatement, values),
      values,
      (error: Error | null, result?: unknown) => {
        clearTimeout(timer);
        done(error, result);
      },
    );
  }

  /** Returns a statement, or one that is preceded by its settings. */
  private withSettings(statement: string | PreparedStatement, values: unknown): unknown {
    const {
      keepsPlan = false,
      name,
      ...unnamed
    } = typeof statement === 'string' ? { text: statement, values, name: undefined } : statement;
    if (!this.isPooled)
      return keepsPlan && !this.keepsPlans ? new PrecededQuery(SET_KEPT_PLAN, statement) : statement;
    if (!TAKES_SETTINGS.test(unnamed.text)) return unnamed;
    const settings = { ...this.limits, ...(keepsPlan && KEPT_PLAN) };
    return new PrecededQuery({ text: localSettings(settings) }, unnamed);
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

/** What the types of `pg` lack. */
interface Wire {
  parse(statement: { text: string }): void;
  bind(portal: { statement?: string }): void;
  execute(portal: object): void;
}
interface SubmittedQuery {
  requiresPreparation(): boolean;
  prepare(wire: Wire): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}
const Query = pg.Query as unknown as new (statement: unknown) => SubmittedQuery;

/**
 * A statement that is sent together with another one that sets what holds for its transaction only. Outside of a transaction
 * that is the statement itself: PostgreSQL commits both where they are synchronized, after the second.
 */
class PrecededQuery extends Query {
  private isPreceded = true;

  /** With a name, `first` has been prepared. It returns no rows. */
  constructor(
    private readonly first: { name?: string; text: string },
    statement: unknown,
  ) {
    super(statement);
  }

  override requiresPreparation(): boolean {
    return true;
  }

  override prepare(wire: Wire): void {
    const { name, text } = this.first;
    if (name === undefined) wire.parse({ text });
    wire.bind(name === undefined ? {} : { statement: name });
    wire.execute({});
    super.prepare(wire);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (!this.isPreceded) super.handleCommandComplete(message, wire);
    this.isPreceded = false;
  }
}

/** A statement that sets values for its transaction and returns no rows. */
function localSettings(settings: Record<string, string | number>): string {
  const set = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true) is null`,
  );
  return `select where ${set.join(' or ')}`;
}
