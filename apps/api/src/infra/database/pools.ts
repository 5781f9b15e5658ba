import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseLimits, PlatformConfig } from '../config/platform-config.ts';
import type { Sql } from './rows.ts';

/**
 * The pools: requests and the turns that they start; background work; the frames of running turns; readers of logs;
 * leases. None can use the connections of another.
 */
export type PoolKind = 'api' | 'background' | 'writer' | 'reader' | 'heartbeat';

type Where = Pick<PlatformConfig, 'databaseUrl' | 'database'>;

/** Sweeps and other batches take longer than a caller would wait. */
const BACKGROUND_STATEMENT_MS = 30_000;
/**
 * Prepared statements keep their plans: for a few rows, planning takes longer than executing, and PostgreSQL alone would plan
 * each time. The plans were made while a table was almost empty; with indexes only, they are as good when it has millions of
 * rows.
 */
const KEPT_PLANS = '-c enable_seqscan=off -c jit=off -c plan_cache_mode=force_generic_plan';
/**
 * PostgreSQL 18.4 crashes when a statement locks rows that others have just changed, and then prunes partitions as it executes:
 * it uses memory that it has freed. Only claims and ends of runs do both. Looking into every partition costs them little.
 */
const NO_PRUNING = '-c enable_partition_pruning=off';
/** How long the client waits beyond the limit of the server. After that, the server is frozen or unreachable. */
const GRACE_MS = 1_000;

const logger = new Logger('Database');

interface ConnectionOptions extends pg.ClientConfig {
  /** Whether statements are sent while others wait for their response (`pipelined`). The types of `pg` lack it. */
  pipeline: boolean;
  /** A connection without a response to a statement for this long is closed. */
  answerMs: number;
}

/** The number of connections of a pool, and its timeouts. */
export function poolOptions(kind: PoolKind, limits: DatabaseLimits): ConnectionOptions & pg.PoolConfig {
  const statementMs = statementLimit(kind, limits);
  return {
    max: sizeOf(kind, limits),
    application_name: `platform-${kind}`,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    Client: Connection,
    pipeline: true,
    answerMs: statementMs + GRACE_MS,
    statement_timeout: statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleTransactionMs,
    ...planOptions(kind),
  };
}

/** Requests have many different statements, and keep the plans of those that are prepared by themselves. */
function planOptions(kind: PoolKind): { options?: string } {
  if (kind === 'api') return {};
  return { options: kind === 'background' ? `${KEPT_PLANS} ${NO_PRUNING}` : KEPT_PLANS };
}

function sizeOf(kind: PoolKind, limits: DatabaseLimits): number {
  switch (kind) {
    case 'api':
      return limits.apiPool;
    case 'background':
      return limits.backgroundPool;
    case 'reader':
      return limits.readerPool;
    case 'heartbeat':
      return 1;
    case 'writer':
      // One stores frames, the other reads cancel requests.
      return 2;
  }
}

function statementLimit(kind: PoolKind, { statementMs }: DatabaseLimits): number {
  return kind === 'background' ? Math.max(statementMs, BACKGROUND_STATEMENT_MS) : statementMs;
}

/** The same settings, for TypeORM. */
export function dataSourceOptions(kind: PoolKind, { databaseUrl, database }: Where) {
  const { max, ...extra } = poolOptions(kind, database);
  return {
    type: 'postgres' as const,
    url: databaseUrl,
    synchronize: false,
    installExtensions: false,
    poolSize: max,
    extra,
    poolErrorHandler: lostIdleConnection,
  } satisfies DataSourceOptions;
}

/**
 * Runs a few statements over and over, outside of transactions, on a separate pool. Each connection prepares them, so their
 * texts must not contain values.
 */
export class SqlPool implements Sql {
  private readonly pool: pg.Pool;
  private readonly names = new Map<string, string>();

  constructor(kind: PoolKind, { databaseUrl, database }: Where) {
    this.pool = new pg.Pool({ connectionString: databaseUrl, ...poolOptions(kind, database) });
    this.pool.on('error', lostIdleConnection);
  }

  async query<T = unknown>(statement: string, parameters: unknown[] = []): Promise<T> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      return (await client.query(this.nameOf(statement), parameters)).rows as T;
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      // A connection that failed may still be waiting for a response, so it is not reused.
      client.release(failure);
    }
  }

  async end(): Promise<void> {
    await this.pool.end();
  }

  private nameOf(text: string): { name: string; text: string } {
    const name = this.names.get(text) ?? `statement_${this.names.size}`;
    this.names.set(text, name);
    return { name, text };
  }
}

/** The pool has already dropped the connection, and opens another one when needed. */
function lostIdleConnection(error: Error): void {
  logger.debug(error);
}

/**
 * A connection whose statements either finish in time or fail. PostgreSQL cancels long statements itself. If it is
 * frozen or unreachable, only closing the connection frees its user, and the outcome of the statement is unknown.
 */
export class Connection extends pg.Client {
  private readonly answerMs: number;
  private corked = false;

  constructor(options?: string | pg.ClientConfig) {
    super(options);
    this.answerMs = (options as Partial<ConnectionOptions> | undefined)?.answerMs ?? Infinity;
    // Between two uses, nothing else listens for errors for a moment, and an error would end the process.
    this.on('error', () => undefined);
    // Assigned rather than overridden, to keep the overloads of the original.
    this.query = ((...args: unknown[]) => this.ask(args)) as pg.Client['query'];
  }

  /** Sends BEGIN. If it fails, the connection is closed: nothing else is executed without the transaction. */
  begin(): void {
    this.query('START TRANSACTION').catch((error: unknown) => this.destroy((error as Error).message));
  }

  private ask(args: unknown[]): unknown {
    this.cork();
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (this.answerMs === Infinity) return query(...args);
    const timer = setTimeout(
      () => this.destroy(`The database did not answer within ${this.answerMs} ms`),
      this.answerMs,
    );
    const last = args.at(-1);
    if (typeof last !== 'function')
      return (query(...args) as Promise<unknown>).finally(() => clearTimeout(timer));
    return query(...args.slice(0, -1), (...outcome: unknown[]) => {
      clearTimeout(timer);
      (last as (...outcome: unknown[]) => void)(...outcome);
    });
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
  private destroy(message: string): void {
    this.stream.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
  }

  private get stream(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream;
  }
}
