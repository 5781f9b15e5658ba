import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { PlatformClient } from '@platform/client';
import { KEY_SCOPES, type Role } from '@platform/contracts';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { AppModule } from '../../src/app.module.ts';
import { setupApp } from '../../src/app.setup.ts';
import { AccessTokens } from '../../src/auth/credentials/access-tokens.ts';
import { RefreshSessions } from '../../src/auth/credentials/refresh-sessions.ts';
import { IdentityService, type NewUser } from '../../src/auth/people/identity.service.ts';
import { UserEntity } from '../../src/auth/principals/user.entity.ts';
import { readConfig } from '../../src/infra/config/platform-config.ts';
import { hashPassword } from '../../src/infra/crypto/passwords.ts';
import { Connection } from '../../src/infra/database/connection.ts';
import { insertRow } from '../../src/infra/database/entity-rows.ts';
import { disarmFailpoints } from '../../src/infra/runtime/failpoints.ts';
import { ReadinessRegistry } from '../../src/infra/health/readiness.registry.ts';
import { RouteTableRegistry } from '../../src/infra/routes/route-table.registry.ts';
import { SweeperWorker } from '../../src/infra/database/sweeper.worker.ts';
import { RelayService } from '../../src/relay/relay.service.ts';
import { StreamsService } from '../../src/streams/streams.service.ts';
import { TurnRunnerService } from '../../src/turns/engine/turn-runner.service.ts';
import { DocumentedErrors } from './documented-errors.ts';
import { readText } from './read-text.ts';
import { PATIENCE, SETTINGS } from './settings.ts';

export interface TestUser {
  userId: string;
  spaceId: string;
  role: Role;
  email: string;
  password: string;
  apiKey: string;
}

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export interface RequestInit {
  /** Whose API key, or sign-in where no key may call; null: none. Default: the admin. */
  as?: TestUser | null;
  body?: unknown;
  /** Sent as it stands, in place of `body`. */
  raw?: string | FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface AppOptions {
  env?: Record<string, string>;
  /** Replaces providers: only ports to the outside. */
  override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
  /** Joins the database of another app instead of making one: two processes on one database. */
  database?: TestApp;
  /** The address of a migrated database, in place of one of its own. */
  databaseUrl?: string;
  /** Without people. */
  empty?: boolean;
}

const PASSWORD = 'correct horse battery';
/** Hashed once: a hash costs as much processor time as all else of a person. */
const passwordHash = hashPassword(PASSWORD);

/** Sweeps when a test wants it, not every minute as well: one sweep keeps all others of the database from running. */
class IdleSweeper extends SweeperWorker {
  override onApplicationBootstrap(): void {}
}

/** The real service on a database of its own, with a space that has an admin and a member, and a second space. */
export class TestApp {
  /** An installation administrator too, as the first admin of every installation is. */
  admin!: TestUser;
  member!: TestUser;
  /** The admin of another space. */
  outsider!: TestUser;

  private readonly errors: DocumentedErrors;
  /** Access tokens by the API key of the same person. */
  private signIns = new Map<string, string>();

  private constructor(
    private readonly app: NestExpressApplication,
    readonly url: string,
    readonly databaseUrl: string,
    readonly dataDir: string,
    readonly secretKey: string,
  ) {
    this.errors = new DocumentedErrors(app.getHttpServer(), app.get(RouteTableRegistry));
  }

  static async start(options: AppOptions = {}): Promise<TestApp> {
    const databaseUrl = options.databaseUrl ?? options.database?.databaseUrl ?? (await copyTemplate());
    const dataDir = await mkdtemp(join(tmpdir(), 'platform-e2e-'));
    const secretKey = options.database?.secretKey ?? randomBytes(32).toString('base64');
    const config = readConfig({
      DATABASE_URL: databaseUrl,
      PLATFORM_DATA_DIR: dataDir,
      PLATFORM_SECRET_KEY: secretKey,
      PLATFORM_LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'fatal',
      ...SETTINGS,
      ...(options.databaseUrl === undefined && PATIENCE),
      ...options.env,
    });
    const builder = Test.createTestingModule({ imports: [AppModule.with(config)] })
      .overrideProvider(SweeperWorker)
      .useClass(IdleSweeper);
    const testing = await (options.override?.(builder) ?? builder).compile();
    const app = testing.createNestApplication<NestExpressApplication>({
      bodyParser: false,
      forceCloseConnections: true,
      logger: process.env.TEST_LOG_LEVEL ? ['error', 'warn', 'log'] : false,
    });
    await setupApp(app);
    const server = await app.listen(0, '127.0.0.1');
    app.get(ReadinessRegistry).ready = true;
    const { port } = server.address() as AddressInfo;
    const started = new TestApp(app, `http://127.0.0.1:${port}`, databaseUrl, dataDir, secretKey);
    if (options.database) {
      const { admin, member, outsider } = options.database;
      Object.assign(started, { admin, member, outsider, signIns: options.database.signIns });
    } else if (!options.empty) {
      await started.people();
    }
    return started;
  }

  /** Any provider of the running service. */
  get<T>(type: Type<T>): T {
    return this.app.get(type, { strict: false });
  }

  /** The rows of a statement, whatever its verb, with the names of their columns. */
  async sql<Row>(statement: string, parameters: unknown[] = []): Promise<Row[]> {
    const result: Row[] | [Row[], number] | undefined = await this.get(DataSource).query(
      statement,
      parameters,
    );
    return (Array.isArray(result?.[0]) ? result[0] : (result ?? [])) as Row[];
  }

  client(user: TestUser = this.admin): PlatformClient {
    return new PlatformClient({
      baseUrl: this.url,
      apiKey: user.apiKey,
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        const credential = this.credentialOf(
          user,
          init?.method ?? 'GET',
          new Request(url).url.slice(this.url.length),
        );
        headers.set('Authorization', `Bearer ${credential}`);
        return fetch(url, { ...init, headers });
      },
    });
  }

  /** One HTTP call, with an API key and a JSON body unless said otherwise. */
  async request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { as = this.admin, body, raw, headers = {}, signal }: RequestInit = {},
  ): Promise<Answer<Body>> {
    const response = await this.fetch(method, path, { as, body, raw, headers, signal });
    const text = await readText(response, path);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const json: unknown = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, body: json as Body, text };
  }

  /** The same, with the body left to be read: for streams. */
  fetch(
    method: string,
    path: string,
    { as = this.admin, body, raw, headers = {}, signal }: RequestInit = {},
  ) {
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(as && { Authorization: `Bearer ${this.credentialOf(as, method, path)}` }),
        ...((body !== undefined || typeof raw === 'string') && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      // The address of the platform that tests name is not the one that it has.
      redirect: 'manual',
      signal,
    });
  }

  /** A person with a key, in the first space unless another is named. */
  async addUser(
    role: Role,
    spaceId: string | null = this.admin.spaceId,
    account: Pick<NewUser, 'installationAdmin'> = {},
  ): Promise<TestUser> {
    const identity = this.get(IdentityService);
    return this.get(DataSource).transaction(async (tx: EntityManager) => {
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const user = await insertRow(tx, UserEntity, {
        installationAdmin: false,
        ...account,
        email,
        name: email.slice(0, 6),
        passwordHash: await passwordHash,
        passwordTemporary: false,
      });
      const home = spaceId ?? (await identity.createSpace(tx, `Space of ${email}`, user.id)).id;
      if (spaceId !== null) await identity.addMember(tx, home, user.id, role);
      const owner = { spaceId: home, userId: user.id };
      const { key } = await identity.createApiKey(tx, { ...owner, name: 'test', scopes: KEY_SCOPES });
      const session = await this.get(RefreshSessions).open(tx, user.id, home);
      const claims = { ...owner, joinedAt: null, refreshSessionId: session.id };
      this.signIns.set(key, await this.get(AccessTokens).issue(claims));
      return { userId: user.id, spaceId: home, role, email, password: PASSWORD, apiKey: key };
    });
  }

  /** Resolves when nothing runs in the background any more. */
  async settle(): Promise<void> {
    await this.get(TurnRunnerService).drain();
    await this.get(RelayService).drain();
    await this.get(StreamsService).drain();
  }

  /** Runs all sweeps. */
  sweep(): Promise<void> {
    return this.get(SweeperWorker).sweep();
  }

  /** Also fails if the service sent an error status that the API document lacks. */
  async close(): Promise<void> {
    disarmFailpoints();
    await this.app.close();
    await rm(this.dataDir, { recursive: true, force: true });
    this.errors.assertComplete();
  }

  private credentialOf({ apiKey }: TestUser, method: string, path: string): string {
    const route = this.get(RouteTableRegistry).find(method, path.split('?')[0] ?? path);
    const needsSignIn = route !== null && route.rule !== 'application' && route.scopes.length === 0;
    return (needsSignIn ? this.signIns.get(apiKey) : undefined) ?? apiKey;
  }

  private async people(): Promise<void> {
    this.admin = await this.addUser('ADMIN', null, { installationAdmin: true });
    this.member = await this.addUser('MEMBER');
    this.outsider = await this.addUser('ADMIN', null);
  }
}

/** A migrated database of its own. */
export async function copyTemplate(): Promise<string> {
  return createDatabase('template template_platform strategy file_copy');
}

/** TypeORM, connected to such a database. */
export async function connectToCopy(options: Partial<PostgresDataSourceOptions>): Promise<DataSource> {
  const url = await copyTemplate();
  const fixed = { type: 'postgres', url, installExtensions: false, extra: { Client: Connection } } as const;
  return new DataSource({ ...fixed, ...options }).initialize();
}

/** A database of its own; empty unless `options` say otherwise. */
export async function createDatabase(options = ''): Promise<string> {
  const adminUrl = process.env.TEST_DATABASE_ADMIN_URL;
  if (adminUrl === undefined)
    throw new Error('TEST_DATABASE_ADMIN_URL is set by the global setup of the e2e tests');
  const name = `e2e_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create database ${name} ${options}`);
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}
