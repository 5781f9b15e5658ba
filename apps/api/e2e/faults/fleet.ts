import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplicationManifest } from '@platform/contracts';
import { ActionRegistry } from '../../src/tasks/definition/action.registry.ts';
import { copyTemplate, TestApp } from '../harness/app.ts';
import { ServiceProcess } from '../harness/process.ts';
import { RedisServer } from '../harness/redis.ts';
import { replaceAction } from '../harness/replace-action.ts';
import { Emitter } from './emitter.ts';
import { Ledger } from './ledger.ts';
import { Sink } from './sink.ts';
import { SinkAction } from './sink-action.ts';
import { World } from './world.ts';

export type Transport = 'in-process' | 'bull';

interface FleetOptions {
  transport: Transport;
  /** How many processes of the service to start. */
  processes?: number;
  /** Settings of every process. */
  env?: Record<string, string>;
  /** The address of a migrated database; default: one of its own on the server of the tests. */
  databaseUrl?: string;
  /** Redis has an address, but does not run yet. */
  withoutRedis?: boolean;
}

/**
 * Processes of the service on one database, with a Redis of their own if they use one, a ledger of what clients sent, and a
 * sink for what tasks did. `app` runs in the process of the test: it creates what is needed, and does no work.
 */
export class Fleet {
  /** Those that were started and not killed through `kill`. */
  readonly members: ServiceProcess[] = [];
  private isClosed = false;
  private readonly halted = new Map<ServiceProcess, Promise<void>>();
  /** What is installed. */
  readonly worlds: World[] = [];

  private constructor(
    readonly transport: Transport,
    readonly app: TestApp,
    readonly redis: RedisServer | null,
    readonly sink: Sink,
    readonly ledger: Ledger,
    private readonly folder: string,
    private readonly action: SinkAction,
    private readonly env: Record<string, string>,
  ) {}

  static async start(options: FleetOptions): Promise<Fleet> {
    const { transport, processes = 2, withoutRedis = false, databaseUrl = await copyTemplate() } = options;
    const redis =
      transport === 'in-process' ? null : withoutRedis ? await RedisServer.down() : await RedisServer.start();
    const sink = await Sink.create();
    const folder = await mkdtemp(join(tmpdir(), 'platform-faults-'));
    const ledger = await Ledger.create(join(folder, 'ledger.jsonl'));
    const shared = {
      PLATFORM_EMISSION_LIMIT: '1000000000',
      ...(redis && { REDIS_URL: redis.url }),
      ...options.env,
    };
    const app = await TestApp.start({ databaseUrl, env: { ...shared, PLATFORM_ROLE: 'api' } });
    const action = new SinkAction(sink.url);
    replaceAction(app.get(ActionRegistry), action);
    const env = {
      ...shared,
      DATABASE_URL: databaseUrl,
      PLATFORM_SECRET_KEY: app.secretKey,
      PLATFORM_DATA_DIR: app.dataDir,
      FAULT_SINK_URL: sink.url,
    };
    const fleet = new Fleet(transport, app, redis, sink, ledger, folder, action, env);
    try {
      await Promise.all(Array.from({ length: processes }, () => fleet.add()));
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  /** Installs an application; its identifier is unique in the fleet. */
  async install(identifier: string, manifest: Partial<ApplicationManifest> = {}): Promise<World> {
    const world = await World.install(this.app, { identifier, ...manifest });
    this.worlds.push(world);
    return world;
  }

  /** A client of the processes that run. */
  emitter(world: World, urls = () => this.urls): Emitter {
    return new Emitter(this.ledger, world, urls);
  }

  /** Starts another process and waits until it is ready. */
  async add(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const member = await this.spawn(env);
    return member.ready();
  }

  /** Starts another process and returns at once. */
  async spawn(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const member = await ServiceProcess.spawn({ ...this.env, ...env }, ['e2e/faults/preload-sink.ts']);
    this.members.push(member);
    // At once: whatever it had begun ended with it.
    this.halted.set(
      member,
      member.exit().then(() => this.sink.halt(member.pid)),
    );
    return member;
  }

  /** Another service within the process of the test, which works; to be closed by the test. */
  async join(): Promise<TestApp> {
    const env = { ...this.env, PLATFORM_ROLE: 'all' };
    const app = await TestApp.start({ database: this.app, env });
    replaceAction(app.get(ActionRegistry), this.action);
    return app;
  }

  /** Kills a process, unless it has ended by itself, and notes its death. */
  async kill(member: ServiceProcess): Promise<void> {
    await member.kill();
    await this.bury(member);
  }

  /** Notes that a process has ended. */
  async bury(member: ServiceProcess): Promise<void> {
    await this.halted.get(member);
    const at = this.members.indexOf(member);
    if (at >= 0) this.members.splice(at, 1);
  }

  /** Stops a process in the middle of what it does, until SIGCONT. */
  async stop(member: ServiceProcess): Promise<void> {
    member.signal('SIGSTOP');
    await this.sink.halt(member.pid);
  }

  /** The addresses of the processes that run. */
  get urls(): string[] {
    return this.members.filter(({ hasEnded }) => !hasEnded).map(({ url }) => url);
  }

  /** May be called again. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const member of [...this.members]) {
      member.signal('SIGCONT');
      await this.kill(member);
    }
    await this.app.close();
    await this.action.close();
    await this.ledger.close();
    await this.sink.close();
    await this.redis?.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
