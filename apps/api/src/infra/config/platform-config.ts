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
  secretOf,
  textOf,
  type EnvKind,
} from './env-kinds.ts';
import { StartError } from './start-error.ts';

export interface OpenAiConfig {
  /** Null for servers that require none. */
  apiKey: string | null;
  baseUrl: string;
  model: string;
}

/** Credentials for speech recognition in spaces that have none of their own. */
export interface SpeechCredentials {
  secretId: string | null;
  secretKey: string | null;
  appId: string | null;
}

/** Limits of the database connections of the process; see `database/pools.ts`. */
export interface DatabaseLimits {
  apiPool: number;
  backgroundPool: number;
  readerPool: number;
  /** Milliseconds to wait for a connection, a statement, a lock, and the next statement of a transaction. */
  connectMs: number;
  statementMs: number;
  lockMs: number;
  idleTransactionMs: number;
}

/** The settings of the process, read and validated once when it starts. */
export class PlatformConfig {
  readonly port!: number;
  readonly host!: string;
  /** Absolute. */
  readonly dataDir!: string;
  readonly databaseUrl!: string;
  readonly database!: DatabaseLimits;
  /** Null means in-process messaging. */
  readonly redisUrl!: string | null;
  readonly role!: 'all' | 'api' | 'worker';
  /** 32 bytes. Derive a key for each purpose with `deriveKey`. */
  readonly secretKey!: Buffer;
  /** Whether the start script manages the database and the secret key. */
  readonly embedded!: boolean;
  readonly adminEmail!: string | null;
  readonly adminPassword!: string | null;
  readonly seed!: 'demo' | 'none';
  /** Who may create spaces; `admins` means installation administrators. */
  readonly spaceCreation!: 'everyone' | 'admins';
  /** Without a slash at its end. */
  readonly publicUrl!: string;
  readonly corsOrigins!: string[];
  /** Private destinations that outgoing calls may reach: `host`, `host:port`, or CIDR. */
  readonly allowedPrivateHosts!: string[];
  /** Whether `platform/offline` replaces unknown models while it is the only model. */
  readonly offlineStandin!: boolean;
  /** The model that the first start adds. */
  readonly openai!: OpenAiConfig | null;
  readonly speech!: SpeechCredentials;
  /** The address of a SearXNG server; null: there is no web search. */
  readonly webSearchUrl!: string | null;
  /** Milliseconds between two requests to a host whose pages are fetched for knowledge. */
  readonly fetchPauseMs!: number;
  readonly logLevel!: string;
  /** What scrapers of metrics present; null: there are no metrics. */
  readonly metricsToken!: string | null;
  /** The number of proxies in front of the service, or their addresses. With 0, `X-Forwarded-For` is ignored. */
  readonly trustProxy!: number | string[];
  /** Milliseconds for the headers of a request, and for the body if the caller is not authenticated. */
  readonly readTimeoutMs!: number;
  /** Milliseconds that a call over MCP waits for its work before it returns a handle. */
  readonly mcpWaitMs!: number;
  /** Requests per minute for each person or application. */
  readonly rateLimit!: number;
  /** Events per minute that a space emits, whatever their origin. */
  readonly emissionLimit!: number;
  /** The most turns that one user can run at the same time, in all processes together. */
  readonly maxRunningTurns!: number;
  /** The most streams that one user can have open in this process. */
  readonly maxOpenStreams!: number;
  readonly streamLeaseMs!: number;
  /** How long a call of a model server may go on without anything new from the model, and in total. */
  readonly modelStallMs!: number;
  readonly modelCallMs!: number;
  /** The most jobs that this process runs at the same time. */
  readonly jobConcurrency!: number;
  /** Runs of tasks that this process executes at the same time: at most half of them of one space, and a quarter of one owner. */
  readonly runConcurrency!: number;
  readonly runLeaseMs!: number;
  /** How long the current step of a run may go on once the process is told to end: less than turns may, which steps wait for. */
  readonly runDrainMs!: number;
  /** Processes in which this process runs the code of tasks. */
  readonly sandboxProcesses!: number;
  /** How long envelopes, deliveries, and runs are kept, in whole months after so many days. */
  readonly eventRetentionDays!: number;
  readonly failpoints!: string[];

  constructor(values: Omit<PlatformConfig, 'isWorker'>) {
    Object.assign(this, values);
  }

  /** Whether this process runs jobs and delivers webhooks. */
  get isWorker(): boolean {
    return this.role !== 'api';
  }
}

/** Contains one line per invalid variable. Values are not repeated, because they may be secrets. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Reads the settings of the process. Throws a `ConfigError` that names every invalid variable. */
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
    speech: {
      secretId: read('CLOUD_SECRET_ID', anyText, null),
      secretKey: read('CLOUD_SECRET_KEY', anyText, null),
      appId: read('CLOUD_APP_ID', anyText, null),
    },
    webSearchUrl: read('WEB_SEARCH_URL', httpAddress, null),
    fetchPauseMs: read('PLATFORM_FETCH_PAUSE_MS', integer(0, 60_000), 1_000),
    logLevel: read(
      'PLATFORM_LOG_LEVEL',
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      // On a terminal, the log lines of the start would hide the banner.
      embedded ? 'warn' : 'info',
    ),
    metricsToken: read('PLATFORM_METRICS_TOKEN', secretOf(16), null),
    trustProxy: read('PLATFORM_TRUST_PROXY', proxies, 0),
    readTimeoutMs: read('PLATFORM_READ_TIMEOUT_MS', integer(100, 300_000), 30_000),
    mcpWaitMs: read('PLATFORM_MCP_WAIT_MS', integer(100, 300_000), 45_000),
    rateLimit: read('PLATFORM_RATE_LIMIT', integer(1, 1_000_000_000), 1200),
    emissionLimit: read('PLATFORM_EMISSION_LIMIT', integer(1, 1_000_000_000), 30_000),
    maxRunningTurns: read('PLATFORM_MAX_RUNNING_TURNS', integer(1, 1_000_000), 50),
    maxOpenStreams: read('PLATFORM_MAX_OPEN_STREAMS', integer(1, 1_000_000), 200),
    jobConcurrency: read('PLATFORM_JOB_CONCURRENCY', integer(1, 10_000), 200),
    runConcurrency: read('PLATFORM_RUN_CONCURRENCY', integer(1, 10_000), 400),
    eventRetentionDays: read('PLATFORM_EVENT_RETENTION_DAYS', integer(1, 36_500), 90),
    runLeaseMs: read('PLATFORM_RUN_LEASE_MS', integer(100, 600_000), 20_000),
    runDrainMs: read('PLATFORM_RUN_DRAIN_MS', integer(0, 19_000), 19_000),
    modelStallMs: read('PLATFORM_MODEL_STALL_MS', integer(100, 86_400_000), 300_000),
    modelCallMs: read('PLATFORM_MODEL_CALL_MS', integer(100, 86_400_000), 3_600_000),
    streamLeaseMs: read('PLATFORM_STREAM_LEASE_MS', integer(100, 600_000), 20_000),
    sandboxProcesses: read('PLATFORM_SANDBOX_PROCESSES', integer(1, 256), 4),
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
