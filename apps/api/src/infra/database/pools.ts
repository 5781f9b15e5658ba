import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DatabaseLimits, PlatformConfig } from '../config/platform-config.ts';
import { Connection } from './connection.ts';
import type { PreparedStatement } from './statement.ts';
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
 * A new connection plans each of its statements anew, which held up a space for 250 ms whose neighbor began to replay. Less than
 * the four minutes after which networks drop connections that are silent.
 */
const IDLE_MS = 180_000;
/** How long the client waits beyond the limit of the server. After that, the server is frozen or unreachable. */
const GRACE_MS = 1_000;

const logger = new Logger('Database');

/** The number of connections of a pool, and its timeouts. */
function connectionOptions(kind: PoolKind, limits: DatabaseLimits) {
  const statementMs = statementLimit(kind, limits);
  return {
    max: sizeOf(kind, limits),
    application_name: `platform-${kind}`,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    idleTimeoutMillis: IDLE_MS,
    Client: Connection,
    pipeline: true,
    answerMs: statementMs + GRACE_MS,
    // Not parameters of the connection: a pooler rejects them.
    limits: {
      statement_timeout: statementMs,
      lock_timeout: limits.lockMs,
      idle_in_transaction_session_timeout: limits.idleTransactionMs,
    },
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
      // One stores frames, the other reads cancel requests.
      return 2;
  }
}

function statementLimit(kind: PoolKind, { statementMs }: DatabaseLimits): number {
  return kind === 'background' ? Math.max(statementMs, BACKGROUND_STATEMENT_MS) : statementMs;
}

export type PoolOptions = ReturnType<typeof poolOptions>;

/** The same, for `Database`. */
export function poolOptions(kind: PoolKind, { databaseUrl, database }: Where) {
  const { max, ...extra } = connectionOptions(kind, database);
  return {
    type: 'postgres' as const,
    url: databaseUrl,
    synchronize: false,
    installExtensions: false,
    poolSize: max,
    extra,
    poolErrorHandler: lostIdleConnection,
  };
}

/**
 * Runs a few statements over and over, outside of transactions, on a separate pool. Each connection prepares them and keeps
 * their plans, so their texts must not contain values.
 */
export class SqlPool implements Sql {
  private readonly pool: pg.Pool;
  private readonly names = new Map<string, string>();

  constructor(kind: PoolKind, { databaseUrl, database }: Where) {
    const options = { ...connectionOptions(kind, database), keepsPlans: true };
    this.pool = new pg.Pool({ connectionString: databaseUrl, ...options });
    this.pool.on('error', lostIdleConnection);
  }

  async query<T = unknown>(statement: string, parameters: unknown[] = []): Promise<T> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      return (await client.query(this.prepared(statement, parameters))).rows as T;
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

  private prepared(text: string, values: unknown[]): PreparedStatement {
    const name = this.names.get(text) ?? `statement_${this.names.size}`;
    this.names.set(text, name);
    return { name, text, values, keepsPlan: true };
  }
}

/** The pool has already dropped the connection, and opens another one when needed. */
function lostIdleConnection(error: Error): void {
  logger.debug(error);
}
