import { resolve } from 'node:path';
import { ConfigError, readConfig } from './platform-config.ts';

const required = { DATABASE_URL: 'postgres://u:p@127.0.0.1/platform', PLATFORM_SECRET_KEY: 'ab'.repeat(32) };

function problems(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig({ ...required, ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('readConfig', () => {
  it('has a default for everything but the database and the secret', () => {
    expect(readConfig(required)).toEqual({
      port: 3000,
      host: '127.0.0.1',
      dataDir: resolve('.platform'),
      databaseUrl: required.DATABASE_URL,
      database: {
        apiPool: 10,
        backgroundPool: 4,
        readerPool: 4,
        connectMs: 3_000,
        statementMs: 4_000,
        lockMs: 2_000,
        idleTransactionMs: 10_000,
      },
      redisUrl: null,
      role: 'all',
      secretKey: Buffer.alloc(32, 0xab),
      embedded: false,
      adminEmail: null,
      adminPassword: null,
      seed: 'none',
      spaceCreation: 'everyone',
      speech: { secretId: null, secretKey: null, appId: null },
      webSearchUrl: null,
      fetchPauseMs: 1_000,
      publicUrl: 'http://127.0.0.1:3000',
      corsOrigins: [],
      allowedPrivateHosts: [],
      offlineStandin: false,
      openai: null,
      logLevel: 'info',
      metricsToken: null,
      trustProxy: 0,
      readTimeoutMs: 30_000,
      mcpWaitMs: 45_000,
      rateLimit: 1200,
      emissionLimit: 30_000,
      maxRunningTurns: 50,
      maxOpenStreams: 200,
      jobConcurrency: 200,
      runConcurrency: 400,
      eventRetentionDays: 90,
      runLeaseMs: 20_000,
      runDrainMs: 19_000,
      sandboxProcesses: 4,
      streamLeaseMs: 20_000,
      modelStallMs: 300_000,
      modelCallMs: 3_600_000,
      failpoints: [],
    });
  });

  it('seeds, stands in and logs little by default when embedded', () => {
    const embedded = { ...required, PLATFORM_EMBEDDED: '1' };
    const defaults = { seed: 'demo', offlineStandin: true, logLevel: 'warn' };
    expect(readConfig(embedded)).toMatchObject({ embedded: true, ...defaults });
    const settings = { PLATFORM_SEED: 'none', PLATFORM_OFFLINE_STANDIN: 'false', PLATFORM_LOG_LEVEL: 'info' };
    const stated = { seed: 'none', offlineStandin: false, logLevel: 'info' };
    expect(readConfig({ ...embedded, ...settings })).toMatchObject({ embedded: true, ...stated });
  });

  it('reads every variable', () => {
    const config = readConfig({
      ...required,
      PORT: '0',
      HOST: '::1',
      PLATFORM_DATA_DIR: '/var/lib/platform',
      REDIS_URL: 'rediss://:secret@redis.internal:6380/2',
      PLATFORM_ROLE: 'worker',
      PLATFORM_ADMIN_EMAIL: 'ada@example.com',
      PLATFORM_ADMIN_PASSWORD: 'long enough',
      PLATFORM_PUBLIC_URL: 'https://agents.example.com/',
      PLATFORM_CORS_ORIGINS: 'https://a.example, https://b.example:8443,',
      PLATFORM_ALLOWED_PRIVATE_HOSTS: 'search.internal, 10.0.0.5:8080,192.168.0.0/16,[::1]:9000',
      OPENAI_API_KEY: 'sk-1',
      OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1/',
      OPENAI_MODEL: 'llama',
      PLATFORM_LOG_LEVEL: 'debug',
      PLATFORM_METRICS_TOKEN: 'a-token-of-the-scraper',
      PLATFORM_TRUST_PROXY: '10.0.0.0/8, ::1',
      PLATFORM_READ_TIMEOUT_MS: '1000',
      PLATFORM_MCP_WAIT_MS: '2000',
      PLATFORM_RATE_LIMIT: '60',
      PLATFORM_EMISSION_LIMIT: '70',
      PLATFORM_MAX_RUNNING_TURNS: '5',
      PLATFORM_MAX_OPEN_STREAMS: '6',
      PLATFORM_JOB_CONCURRENCY: '3',
      PLATFORM_RUN_CONCURRENCY: '4',
      PLATFORM_EVENT_RETENTION_DAYS: '30',
      PLATFORM_RUN_LEASE_MS: '600',
      PLATFORM_RUN_DRAIN_MS: '650',
      PLATFORM_SANDBOX_PROCESSES: '2',
      PLATFORM_STREAM_LEASE_MS: '500',
      PLATFORM_MODEL_STALL_MS: '700',
      PLATFORM_MODEL_CALL_MS: '800',
      PLATFORM_FAILPOINTS: 'after-claim,before-commit',
      SOMETHING_ELSE: 'is ignored',
    });
    expect(config).toMatchObject({
      port: 0,
      host: '::1',
      dataDir: '/var/lib/platform',
      redisUrl: 'rediss://:secret@redis.internal:6380/2',
      role: 'worker',
      adminEmail: 'ada@example.com',
      adminPassword: 'long enough',
      publicUrl: 'https://agents.example.com',
      corsOrigins: ['https://a.example', 'https://b.example:8443'],
      allowedPrivateHosts: ['search.internal', '10.0.0.5:8080', '192.168.0.0/16', '[::1]:9000'],
      openai: { apiKey: 'sk-1', baseUrl: 'http://127.0.0.1:11434/v1', model: 'llama' },
      logLevel: 'debug',
      metricsToken: 'a-token-of-the-scraper',
      trustProxy: ['10.0.0.0/8', '::1'],
      readTimeoutMs: 1000,
      mcpWaitMs: 2000,
      rateLimit: 60,
      emissionLimit: 70,
      maxRunningTurns: 5,
      maxOpenStreams: 6,
      jobConcurrency: 3,
      runConcurrency: 4,
      eventRetentionDays: 30,
      runLeaseMs: 600,
      runDrainMs: 650,
      sandboxProcesses: 2,
      streamLeaseMs: 500,
      modelStallMs: 700,
      modelCallMs: 800,
      failpoints: ['after-claim', 'before-commit'],
    });
  });

  it.each([
    ['all', true],
    ['api', false],
    ['worker', true],
  ])('in the role %s, isWorker: %s', (PLATFORM_ROLE, isWorker) => {
    expect(readConfig({ ...required, PLATFORM_ROLE }).isWorker).toBe(isWorker);
  });

  it('takes the key alone or the address alone for a model', () => {
    expect(readConfig({ ...required, OPENAI_API_KEY: 'sk-1' }).openai).toEqual({
      apiKey: 'sk-1',
      baseUrl: 'https://api.openai.com/v1',
      model: 'gpt-4o-mini',
    });
    const local = readConfig({ ...required, OPENAI_BASE_URL: 'http://localhost:8000/v1' });
    expect(local.openai?.apiKey).toBeNull();
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['0.0.0.0', 'http://localhost:80'],
    ['::', 'http://localhost:80'],
    ['::1', 'http://[::1]:80'],
  ])('listening on %s, is found at %s', (HOST, publicUrl) => {
    expect(readConfig({ ...required, PORT: '80', HOST }).publicUrl).toBe(publicUrl);
  });

  it('takes the secret as base64 too', () => {
    const key = Buffer.alloc(32, 0xfb);
    for (const text of [
      key.toString('base64'),
      key.toString('base64url'),
      key.toString('hex').toUpperCase(),
    ]) {
      expect(readConfig({ ...required, PLATFORM_SECRET_KEY: text }).secretKey).toEqual(key);
    }
  });

  it('says what is missing, and takes an empty variable for a missing one', () => {
    expect(problems({ DATABASE_URL: undefined, PLATFORM_SECRET_KEY: ' ' })).toEqual([
      expect.stringMatching(/^DATABASE_URL is missing: .*npm start/),
      expect.stringMatching(/^PLATFORM_SECRET_KEY is missing: .*32 random bytes/),
    ]);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '3e3'],
    ['DATABASE_URL', 'mysql://user:hunter2@host/db'],
    ['DATABASE_URL', 'postgres://user:hunter2#/?@host/db'],
    ['DATABASE_URL', 'postgres://user:50%hunter2@host/db'],
    ['DATABASE_URL', 'postgres://host:fivefourthreetwo/db'],
    ['REDIS_URL', 'http://:hunter2@host'],
    ['REDIS_URL', 'localhost:6379'],
    ['PLATFORM_ROLE', 'dispatcher'],
    ['PLATFORM_SECRET_KEY', 'c2hvcnQ='],
    ['PLATFORM_SECRET_KEY', 'a'.repeat(63)],
    ['PLATFORM_EMBEDDED', 'maybe'],
    ['PLATFORM_ADMIN_EMAIL', 'nobody'],
    ['PLATFORM_ADMIN_PASSWORD', 'hunter2'],
    ['PLATFORM_SEED', 'yes'],
    ['PLATFORM_PUBLIC_URL', 'ftp://example.com'],
    ['PLATFORM_PUBLIC_URL', 'https://user:hunter2@example.com'],
    ['PLATFORM_METRICS_TOKEN', 'hunter2'],
    ['PLATFORM_METRICS_TOKEN', 'hunter2 hunter2 hunter2'],
    ['PLATFORM_CORS_ORIGINS', '*'],
    ['PLATFORM_CORS_ORIGINS', 'https://a.example/path'],
    ['PLATFORM_ALLOWED_PRIVATE_HOSTS', '10.0.0.0/33'],
    ['PLATFORM_ALLOWED_PRIVATE_HOSTS', 'http://host'],
    ['PLATFORM_ALLOWED_PRIVATE_HOSTS', 'host:99999'],
    ['PLATFORM_ALLOWED_PRIVATE_HOSTS', '2130706433'],
    ['PLATFORM_OFFLINE_STANDIN', 'off'],
    ['OPENAI_BASE_URL', 'localhost:8000'],
    ['PLATFORM_LOG_LEVEL', 'loud'],
    ['PLATFORM_STREAM_LEASE_MS', '-1'],
    ['PLATFORM_TRUST_PROXY', '33'],
    ['PLATFORM_TRUST_PROXY', '-1'],
    ['PLATFORM_TRUST_PROXY', 'true'],
    ['PLATFORM_TRUST_PROXY', 'proxy.internal'],
    ['PLATFORM_TRUST_PROXY', '10.0.0'],
    ['PLATFORM_TRUST_PROXY', '10.0.0.0/33'],
    ['PLATFORM_TRUST_PROXY', '10.0.0.0/0'],
    ['PLATFORM_TRUST_PROXY', '::1, fd00::/129'],
    ['PLATFORM_READ_TIMEOUT_MS', '0'],
    ['PLATFORM_MCP_WAIT_MS', '99'],
    ['PLATFORM_JOB_CONCURRENCY', '0'],
    ['PLATFORM_SANDBOX_PROCESSES', '0'],
  ])('refuses %s=%s in one line that does not repeat the value', (name, value) => {
    const [problem, ...others] = problems({ [name]: value });
    expect(problem).toMatch(new RegExp(`^${name} must be [^\n]+$`));
    expect(problem).not.toContain('hunter2');
    expect(others).toEqual([]);
  });

  it('has one line per wrong variable', () => {
    const env = { ...required, PORT: 'x', PLATFORM_SEED: 'y' };
    expect(() => readConfig(env)).toThrow(/^PORT must be .*\nPLATFORM_SEED must be .*$/);
  });
});
