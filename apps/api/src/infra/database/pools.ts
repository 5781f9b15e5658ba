import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseLimits, PlatformConfig } from '../config/platform-config.ts';
import type { Sql } from './rows.ts';

/**
 * Who shares connections: the callers' requests and the turns they start; what works in the background; the frames
 * of running turns; readers of logs; the leases. None of them can use up the connections of another.
 */
export type PoolKind = 'api' | 'background' | 'writer' | 'reader' | 'heartbeat';

type Where = Pick<PlatformConfig, 'databaseUrl' | 'database'>;

/** Sweeps and other batches take longer than what a caller waits for. */
const BACKGROUND_STATEMENT_MS = 30_000;
/** What the server's own limit has to be late before the client stops waiting: then it is frozen or gone. */
const GRACE_MS = 1_000;

const logger = new Logger('Database');

interface ConnectionOptions extends pg.ClientConfig {
  /** After so long without the answer to a statement the connection is given up. */
  answerMs: number;
}

/** How many connections a kind may have, and how long they wait for what. */
export function poolOptions(kind: PoolKind, limits: DatabaseLimits): ConnectionOptions & pg.PoolConfig {
  const statementMs = statementLimit(kind, limits);
  return {
    max: sizeOf(kind, limits),
    application_name: `platform-${kind}`,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    Client: Connection,
    answerMs: statementMs + GRACE_MS,
    statement_timeout: statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleTransactionMs,
  };
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
      // One stores frames, one asks for wishes to cancel.
      return 2;
  }
}

function statementLimit(kind: PoolKind, { statementMs }: DatabaseLimits): number {
  return kind === 'background' ? Math.max(statementMs, BACKGROUND_STATEMENT_MS) : statementMs;
}

/** The same for TypeORM. */
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

/** Statements outside of transactions, by a pool of their own. */
export class SqlPool implements Sql {
  private readonly pool: pg.Pool;

  constructor(kind: PoolKind, { databaseUrl, database }: Where) {
    this.pool = new pg.Pool({ connectionString: databaseUrl, ...poolOptions(kind, database) });
    this.pool.on('error', lostIdleConnection);
  }

  async query<T = unknown>(statement: string, parameters: unknown[] = []): Promise<T> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      return (await client.query(statement, parameters)).rows as T;
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      // A connection that failed may still wait for an answer, so it is not used again.
      client.release(failure);
    }
  }

  async end(): Promise<void> {
    await this.pool.end();
  }
}

/** The pool has dropped it already and opens another when one is needed. */
function lostIdleConnection(error: Error): void {
  logger.debug(error);
}

/**
 * A connection whose statements are answered in time or not at all. PostgreSQL ends long statements by itself; where
 * it is frozen or out of reach, only giving the connection up sets its user free, and what was asked is not known.
 */
export class Connection extends pg.Client {
  private readonly answerMs: number;

  constructor(options?: string | pg.ClientConfig) {
    super(options);
    this.answerMs = (options as Partial<ConnectionOptions> | undefined)?.answerMs ?? Infinity;
    // Between two users of the pool nobody else listens for a moment, and an error would end the process.
    this.on('error', () => undefined);
    // Not an override: it has to keep all the types of its original.
    this.query = ((...args: unknown[]) => this.ask(args)) as pg.Client['query'];
  }

  private ask(args: unknown[]): unknown {
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (this.answerMs === Infinity) return query(...args);
    const timer = setTimeout(() => this.giveUp(), this.answerMs);
    const last = args.at(-1);
    if (typeof last !== 'function')
      return (query(...args) as Promise<unknown>).finally(() => clearTimeout(timer));
    return query(...args.slice(0, -1), (...outcome: unknown[]) => {
      clearTimeout(timer);
      (last as (...outcome: unknown[]) => void)(...outcome);
    });
  }

  private giveUp(): void {
    const message = `The database did not answer within ${this.answerMs} ms`;
    const { connection } = this as unknown as { connection: { stream: Socket } };
    connection.stream.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
  }
}
