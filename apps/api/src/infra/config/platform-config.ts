import { resolve } from 'node:path';
import {
  allowedHost,
  anyText,
  databaseAddress,
  emailAddress,
  flag,
  httpAddress,
  integer,
  key256,
  listOf,
  oneOf,
  origin,
  proxies,
  redisAddress,
  textOf,
  type EnvKind,
} from './env-kinds.ts';

export interface OpenAiConfig {
  /** Null for servers that ask for none. */
  apiKey: string | null;
  baseUrl: string;
  model: string;
}

/** How many connections to the database the process may have, and how long they wait; see `database/pools.ts`. */
export interface DatabaseLimits {
  apiPool: number;
  backgroundPool: number;
  readerPool: number;
  /** Milliseconds for a connection, for a statement, for a lock, and between two statements of a transaction. */
  connectMs: number;
  statementMs: number;
  lockMs: number;
  idleTransactionMs: number;
}

/** Everything that the process is told from outside, read and checked once at its start. */
export class PlatformConfig {
  readonly port!: number;
  readonly host!: string;
  /** Absolute. */
  readonly dataDir!: string;
  readonly databaseUrl!: string;
  readonly database!: DatabaseLimits;
  /** Null: messaging stays within the process. */
  readonly redisUrl!: string | null;
  readonly role!: 'all' | 'api' | 'worker';
  /** 32 bytes; take keys from it with `deriveKey`, each for one purpose. */
  readonly secretKey!: Buffer;
  /** The start script keeps the database and the secret. */
  readonly embedded!: boolean;
  readonly adminEmail!: string | null;
  readonly adminPassword!: string | null;
  readonly seed!: 'demo' | 'none';
  /** Who may create spaces; `admins`: installation administrators. */
  readonly spaceCreation!: 'everyone' | 'admins';
  /** Without a slash at its end. */
  readonly publicUrl!: string;
  readonly corsOrigins!: string[];
  /** Private places that outgoing calls may reach: `host`, `host:port` or CIDR. */
  readonly allowedPrivateHosts!: string[];
  /** Whether `platform/offline` stands in for unknown models while it is the only one. */
  readonly offlineStandin!: boolean;
  /** The model of the first start. */
  readonly openai!: OpenAiConfig | null;
  readonly logLevel!: string;
  /** How many proxies stand in front, or which addresses they have; 0: none, and `X-Forwarded-For` is ignored. */
  readonly trustProxy!: number | string[];
  /** Within so long the headers of a request arrive, and its body if nobody is known to send it. */
  readonly readTimeoutMs!: number;
  /** Requests per minute and person or application. */
  readonly rateLimit!: number;
  /** Turns that one user may run at once, over all processes. */
  readonly maxRunningTurns!: number;
  readonly streamLeaseMs!: number;
  /** Jobs that this process runs at once. */
  readonly jobConcurrency!: number;
  readonly failpoints!: string[];

  constructor(values: Omit<PlatformConfig, 'isWorker'>) {
    Object.assign(this, values);
  }

  /** Whether this process runs jobs and delivers webhooks. */
  get isWorker(): boolean {
    return this.role !== 'api';
  }
}

/** One line per wrong variable; none of them repeats a value, for it may be a secret. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** Reads the settings of the process; throws a `ConfigError` that names every wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv): PlatformConfig {
  const problems: string[] = [];

  /** An empty variable counts as absent. */
  function read<T, F>(name: string, kind: EnvKind<T>, fallback: F): T | F {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = kind.parse(text);
    if (value === undefined) problems.push(`${name} must be ${kind.expected}`);
    return value ?? fallback;
  }

  function demand<T>(name: string, kind: EnvKind<T>, absent: string, placeholder: T): T {
    if (!env[name]?.trim()) problems.push(`${name} ${absent}`);
    return read(name, kind, placeholder);
  }

  const port = read('PORT', integer(0, 65_535), 3000);
  const host = read('HOST', anyText, '127.0.0.1');
  const embedded = read('PLATFORM_EMBEDDED', flag, false);
  const config = new PlatformConfig({
    port,
    host,
    dataDir: resolve(read('PLATFORM_DATA_DIR', anyText, './.platform')),
    databaseUrl: demand(
      'DATABASE_URL',
      databaseAddress,
      'is missing: set it to the address of a PostgreSQL, or use npm start, which keeps one',
      '',
    ),
    database: {
      apiPool: read('PLATFORM_DATABASE_POOL', integer(2, 1_000), 10),
      backgroundPool: read('PLATFORM_DATABASE_BACKGROUND_POOL', integer(2, 1_000), 4),
      readerPool: read('PLATFORM_DATABASE_READER_POOL', integer(1, 1_000), 4),
      connectMs: read('PLATFORM_DATABASE_CONNECT_MS', integer(100, 60_000), 3_000),
      statementMs: read('PLATFORM_DATABASE_STATEMENT_MS', integer(100, 600_000), 4_000),
      lockMs: read('PLATFORM_DATABASE_LOCK_MS', integer(10, 600_000), 2_000),
      idleTransactionMs: read('PLATFORM_DATABASE_IDLE_TRANSACTION_MS', integer(100, 600_000), 10_000),
    },
    redisUrl: read('REDIS_URL', redisAddress, null),
    role: read('PLATFORM_ROLE', oneOf('all', 'api', 'worker'), 'all'),
    secretKey: demand(
      'PLATFORM_SECRET_KEY',
      key256,
      `is missing: set it to ${key256.expected}, and keep it, for the stored secrets open with it alone`,
      Buffer.alloc(0),
    ),
    embedded,
    adminEmail: read('PLATFORM_ADMIN_EMAIL', emailAddress, null),
    adminPassword: read('PLATFORM_ADMIN_PASSWORD', textOf(8), null),
    seed: read('PLATFORM_SEED', oneOf('demo', 'none'), embedded ? 'demo' : 'none'),
    spaceCreation: read('PLATFORM_SPACE_CREATION', oneOf('everyone', 'admins'), 'everyone'),
    publicUrl: read('PLATFORM_PUBLIC_URL', httpAddress, localAddress(host, port)),
    corsOrigins: read('PLATFORM_CORS_ORIGINS', listOf(origin), []),
    allowedPrivateHosts: read('PLATFORM_ALLOWED_PRIVATE_HOSTS', listOf(allowedHost), []),
    offlineStandin: read('PLATFORM_OFFLINE_STANDIN', flag, embedded),
    openai: openAi(
      read('OPENAI_API_KEY', anyText, null),
      read('OPENAI_BASE_URL', httpAddress, null),
      read('OPENAI_MODEL', anyText, 'gpt-4o-mini'),
    ),
    logLevel: read(
      'PLATFORM_LOG_LEVEL',
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      // Where a person looks at the terminal, the lines of a start would bury what it says.
      embedded ? 'warn' : 'info',
    ),
    trustProxy: read('PLATFORM_TRUST_PROXY', proxies, 0),
    readTimeoutMs: read('PLATFORM_READ_TIMEOUT_MS', integer(100, 300_000), 30_000),
    rateLimit: read('PLATFORM_RATE_LIMIT', integer(1, 1_000_000_000), 1200),
    maxRunningTurns: read('PLATFORM_MAX_RUNNING_TURNS', integer(1, 1_000_000), 50),
    jobConcurrency: read('PLATFORM_JOB_CONCURRENCY', integer(1, 10_000), 200),
    streamLeaseMs: read('PLATFORM_STREAM_LEASE_MS', integer(100, 600_000), 20_000),
    failpoints: read('PLATFORM_FAILPOINTS', listOf(anyText), []),
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function openAi(apiKey: string | null, baseUrl: string | null, model: string): OpenAiConfig | null {
  if (apiKey === null && baseUrl === null) return null;
  return { apiKey, baseUrl: baseUrl ?? 'https://api.openai.com/v1', model };
}

function localAddress(host: string, port: number): string {
  const name =
    { '0.0.0.0': 'localhost', '::': 'localhost' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${name}:${port}`;
}
